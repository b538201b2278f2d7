#include "pll.h"

#include "machine.h"

enum { CS = 0x0, PWR = 0x4, FBDIV_INT = 0x8, PRIM = 0xC };

#define CS_LOCK (1u << 31)
#define CS_REFDIV 0x3Fu
#define PWR_PD (1u << 0)
#define PWR_DSMPD (1u << 2)
#define PWR_POSTDIVPD (1u << 3)
#define PWR_VCOPD (1u << 5)
#define PWR_BITS (PWR_PD | PWR_DSMPD | PWR_POSTDIVPD | PWR_VCOPD)
#define FBDIV_BITS 0xFFFu
#define POSTDIV1(prim) ((prim) >> 16 & 7)
#define POSTDIV2(prim) ((prim) >> 12 & 7)
#define PRIM_BITS 0x77000u

#define VCO_MIN_MHZ 750u // 2.18.2
#define VCO_MAX_MHZ 1600u

// The time that a PLL takes to lock. The datasheet does not specify this time. The value is large
// enough to detect a program that does not wait for the lock.
#define LOCK_CYCLES (1u * CYCLES_PER_MS)

static bool is_powered(const struct pll *pll) { return (pll->power & (PWR_PD | PWR_VCOPD)) == 0; }

static bool is_locked(const struct pll *pll) {
    return is_powered(pll) && pll->clocks->machine->now >= pll->locks_at;
}

uint32_t pll_mhz(const struct pll *pll) {
    uint32_t divisor = (pll->control & CS_REFDIV) * POSTDIV1(pll->primary) * POSTDIV2(pll->primary);
    if (!is_locked(pll) || (pll->power & PWR_POSTDIVPD) != 0 || divisor == 0) {
        return 0;
    }
    return CRYSTAL_MHZ * pll->feedback / divisor;
}

static uint32_t read(void *owner, uint32_t offset) {
    const struct pll *pll = owner;
    switch (offset) {
    case CS:
        return pll->control | (is_locked(pll) ? CS_LOCK : 0);
    case PWR:
        return pll->power;
    case FBDIV_INT:
        return pll->feedback;
    case PRIM:
        return pll->primary;
    default:
        machine_not_modelled(pll->clocks->machine, pll->name, offset);
    }
}

static void start(struct pll *pll) {
    struct machine *machine = pll->clocks->machine;
    if (!clocks_crystal_runs(pll->clocks)) {
        machine_crash(machine, "%s is powered while XOSC is not stable", pll->name);
    }
    uint32_t divider = pll->control & CS_REFDIV;
    uint32_t vco_mhz = divider == 0 ? 0 : CRYSTAL_MHZ * pll->feedback / divider;
    if (vco_mhz < VCO_MIN_MHZ || vco_mhz > VCO_MAX_MHZ) {
        machine_crash(machine, "the VCO of %s at %u MHz: expected 750 to 1600 MHz", pll->name,
                      vco_mhz);
    }
    pll->locks_at = machine->now + LOCK_CYCLES;
}

static uint32_t *register_at(struct pll *pll, uint32_t offset) {
    switch (offset) {
    case CS:
        return &pll->control;
    case PWR:
        return &pll->power;
    case FBDIV_INT:
        return &pll->feedback;
    case PRIM:
        return &pll->primary;
    default:
        machine_not_modelled(pll->clocks->machine, pll->name, offset);
    }
}

static void write(void *owner, uint32_t offset, uint32_t value) {
    static const uint32_t bits[] = {CS_LOCK | CS_REFDIV, PWR_BITS, FBDIV_BITS, PRIM_BITS};
    struct pll *pll = owner;
    struct machine *machine = pll->clocks->machine;
    uint32_t *target = register_at(pll, offset);
    machine_check_bits(machine, pll->name, offset, value, bits[offset / 4]);
    if (clocks_use_pll(pll->clocks, pll)) {
        machine_crash(machine, "%s is changed while a clock uses it", pll->name);
    }
    bool was_powered = is_powered(pll);
    if (was_powered && (offset == CS || offset == FBDIV_INT)) {
        machine_crash(machine, "the frequency of %s is changed while it runs", pll->name);
    }
    *target = offset == CS ? value & CS_REFDIV : value;
    if (!was_powered && is_powered(pll)) {
        start(pll);
    }
}

static void reset(void *owner) {
    struct pll *pll = owner;
    if (clocks_use_pll(pll->clocks, pll)) {
        machine_crash(pll->clocks->machine, "%s is reset while a clock uses it", pll->name);
    }
    pll->control = 1;
    pll->power = PWR_BITS;
    pll->feedback = 0;
    pll->primary = PRIM_BITS;
}

void pll_init(struct pll *pll, struct clocks *clocks, const char *name, uint32_t base,
              uint32_t resets) {
    *pll = (struct pll){.clocks = clocks, .name = name};
    const struct registers registers = {.name = name,
                                        .base = base,
                                        .supply = {.resets = resets},
                                        .read = read,
                                        .write = write,
                                        .reset = reset,
                                        .owner = pll};
    machine_add_registers(clocks->machine, &registers);
    reset(pll);
}
