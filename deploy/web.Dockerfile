# kr and kr web, for one machine: docs/start/install.md. Run `make bundle` first, or browsers load the scripts one by one.
#
#   docker build -f deploy/web.Dockerfile -t kr .
#   docker run --rm -p 127.0.0.1:8000:8000 kr            # prints the address of the page, with its token
#   docker run --rm -it kr kr play                       # any other command
#
# Games and databases of one's own are in /data: `-v kr-data:/data` keeps them.
ARG PYTHON=3.11.15

FROM python:${PYTHON}-bookworm AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir setuptools==84.2.1 Cython==3.3.1 \
    && pip wheel --no-cache-dir --no-build-isolation --no-deps --wheel-dir /wheels .

FROM python:${PYTHON}-slim-bookworm
RUN --mount=type=bind,source=requirements.lock,target=/requirements.lock \
    --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --only-binary :all: --require-hashes -r /requirements.lock \
    && pip install --no-cache-dir --no-index --no-deps /wheels/*.whl \
    && useradd --create-home --uid 1000 kr && mkdir /data && chown kr /data
USER 1000
WORKDIR /data
ENV XDG_DATA_HOME=/data
EXPOSE 8000
CMD ["kr", "web", "--host", "0.0.0.0", "--port", "8000", "--no-browser"]
