# The league for production, installed as a wheel. PostgreSQL and Redis run elsewhere.
ARG PYTHON_IMAGE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
FROM $PYTHON_IMAGE AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/league
WORKDIR /build
COPY requirements.txt .
RUN /opt/league/bin/pip install --require-hashes -r requirements.txt
COPY pyproject.toml .
COPY league league
COPY migrations migrations
COPY examples examples
# The wheel carries the migrations; --no-build-isolation: its build backend is pinned with the rest.
RUN /opt/league/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/league/bin/pip install --no-deps dist/*.whl

FROM $PYTHON_IMAGE
RUN useradd --system --uid 10001 --no-create-home league
ENV PATH=/opt/league/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
COPY --from=packages /opt/league /opt/league
WORKDIR /app
USER league
EXPOSE 8000
CMD ["league", "serve", "--host", "0.0.0.0", "--port", "8000"]
