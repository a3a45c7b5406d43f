# The service as an image: docker build --tag hiring-service .
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /srv/hiring
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json bundle.js node-version.js ./
COPY src src
COPY console console
COPY commands commands
COPY projections projections
COPY queries queries
COPY docs/examples docs/examples
RUN npm run build

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# In production nothing falls back on the secrets of the demo.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# What a rebuild sorts is too large for /tmp where that is in memory.
ENV SQLITE_TMPDIR=/data
WORKDIR /srv/hiring
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY --from=build /srv/hiring/dist dist
# What is read beside the code.
COPY --from=build /srv/hiring/src/history/warehouse/tables src/history/warehouse/tables
COPY --from=build /srv/hiring/src/history/export/statements src/history/export/statements
# The code belongs to root, so that the service can write its data and nothing else.
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "dist/bin/hiring.js", "serve"]
