# The schematics and their exports.

.PHONY: schematics export-schematics

PROJECTS := uno-nano uno-nano-several pico pico-several
EXPORTS := .build/schematics

# The projects comply with all rules of KiCad's check, and the committed exports match the projects.
schematics: setup-schematics ## checks the schematics, and that their exports are up to date
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project && \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project || exit; \
	    echo "$$project: no violations, exports as committed"; done

# A PDF with unchanged contents is not replaced, because only its dates differ.
export-schematics: setup-schematics ## updates the exports of the schematics
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project || exit; \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project 2>/dev/null || \
	        cp $(EXPORTS)/$$project/* Schematics/$$project; done
