# Built in one stage, run from another that holds what the service needs and nothing else.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build
# what stays outside of the build, without the local chain of tidegate dev
RUN npm ci --omit=dev && rm -rf node_modules/@foundry-rs node_modules/@oceanprotocol

FROM node:22-bookworm-slim
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 HOST=0.0.0.0 PORT=8030 STATE_DIR=/var/lib/tidegate
WORKDIR /opt/tidegate
RUN mkdir -p /var/lib/tidegate && chown node:node /var/lib/tidegate
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
USER node
VOLUME /var/lib/tidegate
EXPOSE 8030
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["node", "dist/cli.js", "health"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
