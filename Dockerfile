# walguard in an image of nothing but its static binary.
#   docker build --tag walguard .
# The digest is what is used, the tag is for people.
FROM rust:1.95-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
RUN apk add --no-cache musl-dev
WORKDIR /walguard
# The image's own toolchain, instead of a second one that rust-toolchain.toml would fetch.
ENV RUSTUP_TOOLCHAIN=1.95.0
COPY . .
RUN cargo build --release --locked --package walguard

FROM scratch
COPY --from=build /walguard/target/release/walguard /walguard
COPY --from=build /walguard/LICENSE /LICENSE
USER 65532:65532
# A stack trace for every undefined value of the rules would make reviews a third slower.
ENV RUST_LIB_BACKTRACE=0
ENTRYPOINT ["/walguard"]
CMD ["--help"]
