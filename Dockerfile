# Python 3.11.16, as it was on 21 September 2026; `.github/dependabot.yml` proposes newer ones.
FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
RUN useradd -m -u 1000 user
USER user
# Whoever can reach the port is a stranger. README tells how a team runs it for itself.
# Inside the frame of a Space the browser keeps no XSRF cookie, so uploads would fail with it; the upload route
# still takes only the unguessable id of a live session. Under which names a proxy asks is not known here.
ENV HOME=/home/user PATH=/home/user/.local/bin:$PATH PYTHONUNBUFFERED=1 PLUMBLINE_PUBLIC=1 \
    STREAMLIT_SERVER_PORT=8501 STREAMLIT_SERVER_ADDRESS=0.0.0.0 STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION=false STREAMLIT_SERVER_FILE_WATCHER_TYPE=none \
    STREAMLIT_SERVER_ALLOWED_HOSTS=*
WORKDIR /home/user/app
COPY --chown=user requirements.lock requirements-postgres.lock ./
# With any value, runs can be kept in PostgreSQL: docs/shared-database.md.
ARG WITH_POSTGRES=
RUN pip install --no-cache-dir --user --require-hashes -r requirements.lock \
    ${WITH_POSTGRES:+-r requirements-postgres.lock}
COPY --chown=user . .
EXPOSE 8501
HEALTHCHECK CMD python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health')"
# The name of a Space counts as its own also where its proxy asks under another; no name is looked up elsewhere.
CMD ["sh", "-c", "STREAMLIT_BROWSER_SERVER_ADDRESS=${STREAMLIT_BROWSER_SERVER_ADDRESS:-${SPACE_HOST:-localhost}} \
exec python -m streamlit run app.py"]
