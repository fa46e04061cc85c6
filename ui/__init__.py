"""The screen: what pages share. Everything here may use Streamlit;
nothing here computes a metric.
"""
