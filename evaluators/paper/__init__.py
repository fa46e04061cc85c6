"""A run and a comparison for a paper: figures as SVG, tables as LaTeX, Markdown and CSV."""
