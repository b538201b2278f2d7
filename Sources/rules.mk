# The host in Swift: its documentation, and the checks of its sources.

.PHONY: check-words check-modules check-boards boards-table check-page page-messages docs pictures check-pictures

# Checks that doc comments can be understood alone, that each public declaration has a summary, and that the lists
# in the documents agree with the sources.
check-words: setup-python
	@python3 -B Tests/Style/comments.py
	@python3 -B Tests/Style/wording.py
	@python3 -B Tests/Style/lists.py

# Checks that modules without I/O import no operating system, that nothing in Sources depends on Tests, and that no
# file is too long.
check-modules: setup-build
	@SWIFT=$(SWIFT) Tests/check-modules.sh

# The table of boards in the README shows which of them have been tried, according to the reports in Tests/Reports.
boards-table: setup-python ## writes the table of boards in README.md from the reports in Tests/Reports
	@python3 -B Tests/Reports/boards.py

check-boards: setup-python
	@python3 -B Tests/Reports/boards.py --check

# Type-checks the page of `bridge studio` and the page that runs without an installation (`Web/Page`), and checks that
# no source line is longer than 120 columns. `make test-unit` compares the studio's messages.d.ts with the tool's own
# types; page-messages writes it.
PAGE := Sources/Studio/Page
PAGES := $(PAGE) Web/Page

check-page: setup-typescript
	@for page in $(PAGES); do tsc -p $$page/tsconfig.json || exit; done
	@awk 'length > 120 { print FILENAME ":" FNR ": longer than 120 columns"; bad = 1 } END { exit bad }' \
	    $(PAGES:=/*.*) >&2

page-messages: $(BUILT) ## writes the declarations of the messages between the studio and its page
	@HAPTIC_BRIDGE_WRITE_PAGE=1 $(RUN_TESTS) --filter StudioDeclarationTests

DOCS := .build/docs
# The modules that `import HapticBridge` makes available, whose symbols are part of its documentation.
EXPORTED = $(filter-out Foundation,$(shell sed -n 's/^@_exported import //p' Sources/HapticBridge/Reexports.swift))

# Builds the documentation; every link must be valid, and every parameter described.
docs: $(BUILT) ## builds the library's documentation in .build/docs
	@$(HOT) $(SWIFT) package $(TESTING) dump-symbol-graph --minimum-access-level public >/dev/null
	@mkdir -p $(DOCS)-symbols
	@rm -rf $(DOCS)-symbols/* && cp .build-tests/*/symbolgraph/HapticBridge.symbols.json \
	    .build-tests/*/symbolgraph/HapticBridge@*.symbols.json $(DOCS)-symbols
	@for module in $(EXPORTED); do \
	    sed "s/\"module\":{\"name\":\"$$module\"/\"module\":{\"name\":\"HapticBridge\"/" \
	        .build-tests/*/symbolgraph/$$module.symbols.json >$(DOCS)-symbols/HapticBridge-$$module.symbols.json; \
	done
	@$(dir $(CLANG))docc convert Sources/HapticBridge/HapticBridge.docc --warnings-as-errors \
	    --additional-symbol-graph-dir $(DOCS)-symbols --output-path $(DOCS) \
	    --fallback-display-name HapticBridge --fallback-bundle-identifier haptic-bridge >&2
	@echo "$(DOCS)/index.html"

# The pictures of the named patterns in the documentation. They are reproducible.
PICTURES := Sources/HapticBridge/HapticBridge.docc/Resources
PATTERNS = $(basename $(notdir $(wildcard Sources/HapticBridge/Feedback/Patterns/*.ahap)))

# $(1): the output folder.
define draw_pictures
	@mkdir -p $(1)
	@for pattern in $(PATTERNS); do \
	    $(TESTED)/bridge render -q $$pattern -o $(1)/$$pattern.svg || exit; done
endef

pictures: $(BUILT) ## draws the documentation's pictures of the named patterns
	$(call draw_pictures,$(PICTURES))

check-pictures: $(BUILT)
	@rm -rf .build/pictures
	$(call draw_pictures,.build/pictures)
	@diff -rq .build/pictures $(PICTURES) || { \
	    echo "the pictures in $(PICTURES) differ from the patterns: run make pictures" >&2; exit 1; }
