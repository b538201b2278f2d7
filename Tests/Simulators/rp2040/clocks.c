#include "clocks.h"

#include "machine.h"
#include "pll.h"

enum {
    REF_CTRL = 0x30,
    REF_DIV = 0x34,
    REF_SELECTED = 0x38,
    SYS_CTRL = 0x3C,
    SYS_DIV = 0x40,
    SYS_SELECTED = 0x44,
    PERI_CTRL = 0x48,
    USB_CTRL = 0x54,
    USB_DIV = 0x58,
    USB_SELECTED = 0x5C,
};

enum { XOSC_CTRL = 0x0, XOSC_STATUS = 0x4, XOSC_STARTUP = 0xC };

#define SOURCE_REF_BITS 3u
#define SOURCE_REF_ROSC 0u
#define SOURCE_REF_XOSC 2u
#define SOURCE_SYS_AUX 1u
#define AUX(control) ((control) >> 5 & 7)
#define AUX_BITS 0xE0u
#define ENABLE (1u << 11)
#define DIVIDES_BY_1 0x100u

#define ROSC_MHZ 6u
#define CRYSTAL_CYCLES (CYCLES_PER_US / CRYSTAL_MHZ)

#define XOSC_RANGE_1_15_MHZ 0xAA0u
#define XOSC_ENABLE (0xFABu << 12)
#define XOSC_DISABLE (0xD1Eu << 12)
#define XOSC_STABLE (1u << 31)
#define XOSC_ENABLED (1u << 12)
#define XOSC_STARTUP_BITS 0x3FFFu
#define XOSC_STARTUP_RESET 0xC4u
#define XOSC_STARTUP_PERIODS 256u

// ---- The crystal ----

static bool crystal_is_on(const struct clocks *clocks) {
    return (clocks->crystal_control & XOSC_ENABLE) == XOSC_ENABLE;
}

bool clocks_crystal_runs(const struct clocks *clocks) {
    return crystal_is_on(clocks) && clocks->machine->now >= clocks->crystal_stable_at;
}

static uint32_t read_crystal(void *owner, uint32_t offset) {
    const struct clocks *clocks = owner;
    switch (offset) {
    case XOSC_CTRL:
        return clocks->crystal_control;
    case XOSC_STATUS:
        return (clocks_crystal_runs(clocks) ? XOSC_STABLE : 0) |
               (crystal_is_on(clocks) ? XOSC_ENABLED : 0);
    case XOSC_STARTUP:
        return clocks->crystal_startup;
    default:
        machine_not_modelled(clocks->machine, "XOSC", offset);
    }
}

static void control_crystal(struct clocks *clocks, uint32_t value) {
    bool was_on = crystal_is_on(clocks);
    if (value != (XOSC_RANGE_1_15_MHZ | XOSC_ENABLE)) {
        machine_crash(clocks->machine, "XOSC_CTRL 0x%x is not modeled: expected 0x%x", value,
                      XOSC_RANGE_1_15_MHZ | XOSC_ENABLE);
    }
    clocks->crystal_control = value;
    if (!was_on) {
        clocks->crystal_stable_at = clocks->machine->now + (uint64_t)clocks->crystal_startup *
                                                               XOSC_STARTUP_PERIODS *
                                                               CRYSTAL_CYCLES;
    }
}

static void write_crystal(void *owner, uint32_t offset, uint32_t value) {
    struct clocks *clocks = owner;
    switch (offset) {
    case XOSC_CTRL:
        control_crystal(clocks, value);
        break;
    case XOSC_STARTUP:
        machine_check_bits(clocks->machine, "XOSC", offset, value, XOSC_STARTUP_BITS);
        clocks->crystal_startup = value;
        break;
    default:
        machine_not_modelled(clocks->machine, "XOSC", offset);
    }
}

// ---- The clocks ----

uint32_t clocks_ref_period(const struct clocks *clocks) {
    bool is_crystal = (clocks->ref & SOURCE_REF_BITS) == SOURCE_REF_XOSC;
    return CYCLES_PER_US / (is_crystal ? CRYSTAL_MHZ : ROSC_MHZ);
}

// Returns the frequency in MHz of a source of clk_sys, clk_peri or clk_usb, or 0 if the source does
// not run.
static uint32_t sys_source_mhz(const struct clocks *clocks, uint32_t aux) {
    const uint32_t mhz[] = {
        pll_mhz(&clocks->pll_sys),
        pll_mhz(&clocks->pll_usb),
        ROSC_MHZ,
        clocks_crystal_runs(clocks) ? CRYSTAL_MHZ : 0,
    };
    return aux < sizeof mhz / sizeof mhz[0] ? mhz[aux] : 0;
}

static uint32_t usb_source_mhz(const struct clocks *clocks, uint32_t aux) {
    return aux <= 1 ? pll_mhz(aux == 0 ? &clocks->pll_usb : &clocks->pll_sys) : 0;
}

bool clocks_use_pll(const struct clocks *clocks, const struct pll *pll) {
    bool is_usb = pll == &clocks->pll_usb;
    bool sys = (clocks->sys & SOURCE_SYS_AUX) != 0 && AUX(clocks->sys) == is_usb;
    bool usb = (clocks->usb & ENABLE) != 0 && AUX(clocks->usb) == !is_usb;
    return sys || usb;
}

uint32_t clocks_sys_period(const struct clocks *clocks) {
    if ((clocks->sys & SOURCE_SYS_AUX) == 0) {
        return clocks_ref_period(clocks);
    }
    return CYCLES_PER_US / sys_source_mhz(clocks, AUX(clocks->sys));
}

bool clocks_usb_runs(const struct clocks *clocks) { return (clocks->usb & ENABLE) != 0; }

static uint32_t read_clocks(void *owner, uint32_t offset) {
    const struct clocks *clocks = owner;
    switch (offset) {
    case REF_CTRL:
        return clocks->ref;
    case REF_SELECTED:
        return 1u << (clocks->ref & SOURCE_REF_BITS);
    case SYS_CTRL:
        return clocks->sys;
    case SYS_SELECTED:
        return 1u << (clocks->sys & SOURCE_SYS_AUX);
    case PERI_CTRL:
        return clocks->peri;
    case USB_CTRL:
        return clocks->usb;
    case REF_DIV:
    case SYS_DIV:
    case USB_DIV:
        return DIVIDES_BY_1;
    case USB_SELECTED:
        return 1;
    default:
        machine_not_modelled(clocks->machine, "CLOCKS", offset);
    }
}

static void switch_ref(struct clocks *clocks, uint32_t value) {
    struct machine *machine = clocks->machine;
    if (value != SOURCE_REF_ROSC && value != SOURCE_REF_XOSC) {
        machine_crash(machine, "CLK_REF_CTRL 0x%x is not modeled: expected ROSC or XOSC", value);
    }
    if (value == SOURCE_REF_XOSC && !clocks_crystal_runs(clocks)) {
        machine_crash(machine, "clk_ref is switched to XOSC, which is not stable");
    }
    if (value != clocks->ref && watchdog_tick_period(&machine->watchdog) != 0) {
        machine_crash(machine, "clk_ref is switched while the watchdog's tick uses it");
    }
    clocks->ref = value;
}

// Sets the auxiliary source. The source may change only while it is not in use, because the
// multiplexer of the auxiliary sources glitches (2.15.3.2).
static void switch_sys(struct clocks *clocks, uint32_t value) {
    struct machine *machine = clocks->machine;
    machine_check_bits(machine, "CLOCKS", SYS_CTRL, value, SOURCE_SYS_AUX | AUX_BITS);
    bool was_aux = (clocks->sys & SOURCE_SYS_AUX) != 0;
    if (AUX(value) != AUX(clocks->sys) && (was_aux || (value & SOURCE_SYS_AUX) != 0)) {
        machine_crash(machine, "the auxiliary source of clk_sys changes while it is used");
    }
    uint32_t mhz = sys_source_mhz(clocks, AUX(value));
    if ((value & SOURCE_SYS_AUX) != 0 && mhz == 0) {
        machine_crash(machine, "clk_sys is switched to a source that does not run");
    }
    if ((value & SOURCE_SYS_AUX) != 0 && CYCLES_PER_US % mhz != 0) {
        machine_crash(machine, "clk_sys of %u MHz is not modeled: expected 48 MHz / n", mhz);
    }
    clocks->sys = value;
}

static void switch_usb(struct clocks *clocks, uint32_t value) {
    struct machine *machine = clocks->machine;
    machine_check_bits(machine, "CLOCKS", USB_CTRL, value, ENABLE | AUX_BITS);
    uint32_t mhz = usb_source_mhz(clocks, AUX(value));
    if ((value & ENABLE) != 0 && mhz != CYCLES_PER_US) {
        machine_crash(machine, "clk_usb of %u MHz: expected 48 MHz", mhz);
    }
    clocks->usb = value;
}

static void write_clocks(void *owner, uint32_t offset, uint32_t value) {
    struct clocks *clocks = owner;
    switch (offset) {
    case REF_CTRL:
        switch_ref(clocks, value);
        break;
    case SYS_CTRL:
        switch_sys(clocks, value);
        break;
    case PERI_CTRL:
        machine_check_bits(clocks->machine, "CLOCKS", offset, value, ENABLE | AUX_BITS);
        clocks->peri = value;
        break;
    case USB_CTRL:
        switch_usb(clocks, value);
        break;
    case REF_DIV:
    case SYS_DIV:
    case USB_DIV:
        if (value != DIVIDES_BY_1) {
            machine_crash(clocks->machine, "a divided clock is not modeled");
        }
        break;
    default:
        machine_not_modelled(clocks->machine, "CLOCKS", offset);
    }
}

// ---- Set-up ----

void clocks_reset(struct clocks *clocks, bool stops_crystal) {
    if (stops_crystal) {
        clocks->crystal_control = 0;
        clocks->crystal_startup = XOSC_STARTUP_RESET;
    }
    clocks->ref = SOURCE_REF_ROSC;
    clocks->sys = 0;
    clocks->peri = 0;
    clocks->usb = 0;
}

void clocks_init(struct clocks *clocks, struct machine *machine) {
    *clocks = (struct clocks){.machine = machine};
    const struct registers crystal = {.name = "XOSC",
                                      .base = 0x40024000,
                                      .read = read_crystal,
                                      .write = write_crystal,
                                      .owner = clocks};
    const struct registers registers = {.name = "CLOCKS",
                                        .base = 0x40008000,
                                        .read = read_clocks,
                                        .write = write_clocks,
                                        .owner = clocks};
    machine_add_registers(machine, &crystal);
    machine_add_registers(machine, &registers);
    pll_init(&clocks->pll_sys, clocks, "PLL_SYS", 0x40028000, RESETS_PLL_SYS);
    pll_init(&clocks->pll_usb, clocks, "PLL_USB", 0x4002C000, RESETS_PLL_USB);
    clocks_reset(clocks, true);
}
