# The schematics and their exports.

.PHONY: schematics export-schematics

PROJECTS := uno-nano uno-nano-several pico pico-several
EXPORTS := .build/schematics

# Every rule of KiCad's check holds; what is committed beside a project is what it gives.
schematics: setup-schematics ## checks the schematics, and that their exports are what they give
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project && \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project || exit; \
	    echo "$$project: no violations, exports as committed"; done

# A PDF that says the same is left as it is, for its dates.
export-schematics: setup-schematics ## exports them anew
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project || exit; \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project 2>/dev/null || \
	        cp $(EXPORTS)/$$project/* Schematics/$$project; done
