#!/bin/sh
# Run in the image's build: removes what no start reads. Of packages that is source maps, declarations, tests, and forms
# of the same code for browsers, debuggers and other loaders; of the project, tests and what only its build needs.
set -eu
packages=$DENO_DIR/npm

find "$packages" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find "$packages" -type d \( -name test -o -name tests -o -name __tests__ -o -name .yarn \) -prune -exec rm -rf {} +
for unused in \
  'esbuild' '@esbuild' '@jitl/quickjs-wasmfile-debug-*/*.wasm' '@modelcontextprotocol/*.cjs' \
  'gpt-tokenizer/*/cjs' 'gpt-tokenizer/*/src' 'gpt-tokenizer/*/esm/bpeRanks' 'gpt-tokenizer/*/data/[cpr]*' \
  'jschardet/*/dist' 'jschardet/*/build/*.cjs' 'just-bash/*/dist/bin' 'just-bash/*/dist/bundle/browser.js' \
  'just-bash/*/dist/bundle/index.cjs' 'just-bash/*/vendor/cpython-emscripten' 'quickjs-emscripten/*/dist/index.global*' \
  'sql.js/*/dist/*asm*.js' 'sql.js/*/dist/*browser*' 'sql.js/*/dist/*debug*' 'sql.js/*/dist/*.zip' \
  'wasm-media-encoders/*/dist/umd' 'zod/*.cjs' 'zod/*/src'; do
  find "$packages" -path "$packages/*/$unused" ! -name sql-wasm.js -prune -exec rm -rf {} +
done
rm -rf "$DENO_DIR/gen"

find /app -mindepth 1 -maxdepth 1 ! -name deno.json ! -name deno.lock ! -name main.ts ! -name server ! -name shared \
  ! -name console ! -name deploy ! -name LICENSE -exec rm -rf {} +
find /app/console -mindepth 1 -maxdepth 1 ! -name dist -exec rm -rf {} +
find /app -name '*_test.ts' -delete
