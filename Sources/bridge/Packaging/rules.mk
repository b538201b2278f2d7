# Installation, and the Debian package.

.PHONY: install deb check-deb

RELEASE := .build/release
SHARE := $(DESTDIR)$(PREFIX)/share
PACKAGING := Sources/bridge/Packaging
RULES := 60-haptic-bridge.rules
GAMEPAD_RULES := 60-haptic-bridge-gamepad.rules

install: setup-build ## installs the tools under PREFIX=/usr/local
	$(SWIFT) build -c release --static-swift-stdlib --product bridge
	$(SWIFT) build -c release --static-swift-stdlib --product virtual-board
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/haptic-bridge/patterns/sampler $(SHARE)/man/man1 \
	    $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	    $(SHARE)/fish/vendor_completions.d
	install -m 755 $(RELEASE)/virtual-board $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(RELEASE)/bridge $(DESTDIR)$(PREFIX)/bin/haptic-bridge
	@# Adds the name bridge, unless another program already has this name, such as iproute2's bridge.
	@link=$(DESTDIR)$(PREFIX)/bin/bridge; case "$$(readlink $$link)" in \
	    haptic-bridge) ;; \
	    "") [ -e $$link ] && echo "$$link is another program: use haptic-bridge" || \
	        ln -s haptic-bridge $$link ;; \
	    *) echo "$$link is another program: use haptic-bridge" ;; esac
	install -m 644 Sources/AHAP/Patterns/*.ahap $(SHARE)/haptic-bridge/patterns
	install -m 644 Sources/HapticBridge/Samples/Patterns/*.ahap $(SHARE)/haptic-bridge/patterns/sampler
	install -m 644 $(PACKAGING)/$(RULES) $(PACKAGING)/$(GAMEPAD_RULES) $(SHARE)/haptic-bridge
	install -m 644 $(PACKAGING)/bridge.1 $(SHARE)/man/man1
	$(RELEASE)/bridge --generate-completion-script bash > \
	    $(SHARE)/bash-completion/completions/bridge
	$(RELEASE)/bridge --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_bridge
	$(RELEASE)/bridge --generate-completion-script fish > \
	    $(SHARE)/fish/vendor_completions.d/bridge.fish
	@[ -n "$(DESTDIR)" ] || [ "$$(uname)" != Linux ] || { \
	    echo "To open the ports of boards without joining a group, and to create a gamepad:"; \
	    echo "  sudo install -m 644 $(PREFIX)/share/haptic-bridge/*.rules /etc/udev/rules.d"; \
	    echo "  sudo udevadm control --reload && sudo udevadm trigger"; }

# ---- The Debian package -----------------------------------------------------------------------

VERSION = $(shell sed -n 's/^let toolVersion = "\(.*\)"/\1/p' Sources/bridge/Version.swift)
ARCHITECTURE = $(shell dpkg --print-architecture)
DEB = .build/haptic-bridge_$(VERSION)_$(ARCHITECTURE).deb
TREE := .build/deb

deb: ## builds a Debian package
	rm -rf $(TREE)
	$(MAKE) install PREFIX=/usr DESTDIR=$(CURDIR)/$(TREE)
	strip $(TREE)/usr/bin/haptic-bridge $(TREE)/usr/bin/virtual-board
	install -d $(TREE)/usr/lib/udev/rules.d $(TREE)/usr/share/doc/haptic-bridge $(TREE)/DEBIAN
	mv $(TREE)/usr/share/haptic-bridge/*.rules $(TREE)/usr/lib/udev/rules.d
	install -m 644 LICENSE $(TREE)/usr/share/doc/haptic-bridge/copyright
	gzip -9n $(TREE)/usr/share/man/man1/bridge.1
	sed -e 's/@VERSION@/$(VERSION)/' -e 's/@ARCHITECTURE@/$(ARCHITECTURE)/' \
	    -e "s/@SIZE@/$$(du -sk $(TREE)/usr | cut -f1)/" $(PACKAGING)/control \
	    > $(TREE)/DEBIAN/control
	dpkg-deb --root-owner-group --build $(TREE) $(DEB)

# Installs the package and its dependencies in a minimal Debian system, and plays a pattern in this system.
ROOT := .build/root

check-deb: deb setup-debootstrap ## tests the package in a minimal Debian system
	$$([ "$$(id -u)" = 0 ] || echo sudo) $(PACKAGING)/check-deb.sh $(DEB) $(ROOT)
