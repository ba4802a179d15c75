# Three stages: the build, the production packages, and the image with both.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/protocol/package.json packages/protocol/
COPY packages/common/package.json packages/common/
COPY packages/database/package.json packages/database/
COPY packages/chain/package.json packages/chain/
COPY packages/storage/package.json packages/storage/
COPY packages/catalog/package.json packages/catalog/
COPY packages/hosting/package.json packages/hosting/
COPY packages/discovery/package.json packages/discovery/
COPY packages/purchases/package.json packages/purchases/
COPY packages/provider/package.json packages/provider/
COPY packages/legacy/package.json packages/legacy/
COPY packages/cli/package.json packages/cli/
COPY packages/dev-network/package.json packages/dev-network/
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY scripts/package.json scripts/
RUN npm ci
COPY . .
RUN npm run build

# packages outside the bundle, without the local chain of tidegate dev
FROM node:22-bookworm-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && rm -rf node_modules/@foundry-rs node_modules/@oceanprotocol

FROM node:22-bookworm-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=32
ENV HOST=0.0.0.0 PORT=8030 WORKERS=auto
ENV STATE_DIR=/var/lib/tidegate HOSTING_DIR=/var/lib/tidegate/files
WORKDIR /opt/tidegate
# a new volume takes the owner of its folder
RUN mkdir -p /var/lib/tidegate/files && chown -R node:node /var/lib/tidegate
COPY package.json ./
COPY --from=packages /packages/node_modules ./node_modules
COPY --from=build /build/dist ./dist
USER node
VOLUME /var/lib/tidegate
EXPOSE 8030
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["node", "dist/cli.js", "health"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
