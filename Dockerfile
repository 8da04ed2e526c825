# The league for production, installed as a wheel. PostgreSQL and Redis run elsewhere.
ARG PYTHON_IMAGE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
FROM $PYTHON_IMAGE AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/league
WORKDIR /build
COPY requirements*.txt ./
# Some of `photos`, `lab`, `tournaments` and `tracing`, separated by blanks: the extras of pyproject.toml, pinned as the rest.
ARG EXTRAS=""
RUN for extra in "" $EXTRAS; do \
        /opt/league/bin/pip install --require-hashes -r "requirements${extra:+-$extra}.txt" || exit 1; \
    done
COPY pyproject.toml .
COPY league league
COPY migrations migrations
COPY examples examples
# The wheel carries the migrations; --no-build-isolation: its build backend is pinned with the rest.
RUN /opt/league/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/league/bin/pip install --no-deps dist/*.whl

FROM $PYTHON_IMAGE
# An empty volume at /photos takes over whose folder it is.
RUN useradd --system --uid 10001 --no-create-home league && install --directory --owner=league /photos
# numba, of the extra `lab`, keeps what it compiles; there is no home for it.
ENV PATH=/opt/league/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 NUMBA_CACHE_DIR=/tmp/numba
COPY --from=packages /opt/league /opt/league
WORKDIR /app
USER league
EXPOSE 8000
CMD ["league", "serve", "--host", "0.0.0.0", "--port", "8000"]
