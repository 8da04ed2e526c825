# The league for production: the program and its migrations, PostgreSQL and Redis elsewhere.
FROM python:3.13-slim AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/league
WORKDIR /app
COPY requirements.txt .
RUN /opt/league/bin/pip install --require-hashes -r requirements.txt
COPY pyproject.toml .
COPY league league
# Editable, because the program finds its migrations beside its package.
RUN /opt/league/bin/pip install --no-deps --no-build-isolation --editable .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --no-create-home league
ENV PATH=/opt/league/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
WORKDIR /app
COPY --from=packages /opt/league /opt/league
COPY league league
COPY migrations migrations
USER league
EXPOSE 8000
CMD ["league", "serve", "--host", "0.0.0.0", "--port", "8000"]
