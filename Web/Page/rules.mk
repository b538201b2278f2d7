# The page that plays patterns without an installation.

.PHONY: web site test-web test-site

SITE := .build/web
SITE_FILES = $(wildcard $(WEB)/Page/*.html $(WEB)/Page/*.css $(WEB)/Page/*.js) $(WEB)/Page/haptic-bridge.d.ts \
    Sources/Studio/Page/elements.js Firmware/boards/rp2040/rp2040.uf2
# wasm-ld places the stack first in memory, so that no object has an address below 1024. The optimizer may rely on this.
# The WebAssembly features that the compiler uses. All browsers with WebSerial support these features.
WASM_FEATURES := --enable-sign-ext --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int \
    --enable-multivalue --enable-reference-types

# The options that flatten the code and rebuild its control flow, and the second round of optimization, reduce the
# size of the page by 5 KB.
WASM_SMALL := --flatten --rereloop -Oz --flatten --rereloop -Oz -Oz --low-memory-unused

$(SITE)/%.wasm: $(WASM)/%.wasm Web/Page/rules.mk
	@mkdir -p $(SITE)
	@wasm-opt $(WASM_SMALL) $(WASM_FEATURES) $< -o $@

# Any static host can serve the folder; a browser allows serial ports only to pages from https:, localhost or a file.
# haptic-bridge.html is the whole page as a single file. The scripts are served without their comment lines.
site: $(SITE)/haptic-bridge.wasm $(SITE)/formats.wasm
	@cp $(SITE_FILES) $(SITE)
	@sed -E -i.bak '/^ *(\/\/.*|\/\*\*.*\*\/|\/\*\*|\*( .*)?|\*\/)$$/d' $(SITE)/*.js
	@rm $(SITE)/*.js.bak
	@python3 $(WEB)/single.py $(SITE)

web: setup-binaryen ## builds the page that plays patterns without an installation, in .build/web
	@$(if $(wasm_missing),echo "web: $(wasm_missing)" >&2; exit 1,$(MAKE) -j2 --no-print-directory site)
	@echo "$(SITE)/index.html"

# With BRIDGE_PROOF, more damaged copies of files are opened.
test-web: setup-node setup-binaryen setup-chromium $(STUDIO)/installed $(BUILT) ## tests the page and its module
	@$(if $(wasm_missing),echo "test-web: skipped: $(wasm_missing)",$(MAKE) --no-print-directory test-site)

test-site: site
	@WEB_SITE=$(CURDIR)/$(SITE) BRIDGE=$(CURDIR)/$(TESTED)/bridge node --test Tests/Web/*.test.mjs
	@WEB_SITE=$(CURDIR)/$(SITE) INDEPENDENT_PROGRAMS=$(CURDIR)/$(TESTED) \
	    $(STUDIO)/bin/python -B Tests/Web/check.py $(SITE)-pictures
