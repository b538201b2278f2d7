# The schematics and their exports.

.PHONY: schematics export-schematics

PROJECTS := uno-nano uno-nano-several pico pico-several
EXPORTS := .build/schematics

# Fails if a project violates a rule of KiCad's check, or if the committed exports do not match the projects.
schematics: setup-schematics ## checks the schematics, and that their exports are up to date
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project && \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project || exit; \
	    echo "$$project: no violations, exports as committed"; done

# If the new exports of a project differ from the committed exports only in the dates of the PDF,
# the committed exports are kept.
export-schematics: setup-schematics ## updates the exports of the schematics
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project || exit; \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project 2>/dev/null || \
	        cp $(EXPORTS)/$$project/* Schematics/$$project; done
