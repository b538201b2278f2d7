// The list of all programs, and their common code: vectors, and the start of the clocks.
#include "program.h"

extern const struct program first_program[], end_of_programs[];

__attribute__((section(".head"), used)) struct programs programs = {(uint32_t)first_program,
                                                                    (uint32_t)end_of_programs, 0};

static void fail(void) { CHECK(false); }

__attribute__((aligned(256))) static void (*vectors[EXCEPTIONS])(void);

void handle(uint32_t exception, void (*handler)(void)) {
    if (VTOR != (uint32_t)vectors) {
        for (uint32_t index = 0; index < EXCEPTIONS; index++) {
            vectors[index] = fail;
        }
        VTOR = (uint32_t)vectors;
    }
    vectors[exception] = handler;
}

// ---- The start of the 48 MHz clock ----

void start_crystal(void) {
    XOSC_STARTUP = 47;
    XOSC_CTRL = XOSC_CTRL_1_15MHZ | XOSC_CTRL_ENABLE;
    while (!(XOSC_STATUS & XOSC_STATUS_STABLE)) {
    }
}

void start_pll(uint32_t feedback) {
    CLR_BITS(RESETS_RESET) = RESETS_PLL_USB;
    PLL_USB_FBDIV_INT = feedback;
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
    while (!(PLL_USB_CS & PLL_CS_LOCK)) {
    }
    PLL_USB_PRIM = PLL_48_MHZ_PRIM;
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_POSTDIVPD;
}

void start_sys(void) {
    start_crystal();
    CLK_REF_CTRL = CLK_REF_SRC_XOSC;
    start_pll(PLL_48_MHZ_FEEDBACK);
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB;
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB | CLK_SYS_SRC_AUX;
}

void start_timer(void) {
    start_sys();
    WATCHDOG_TICK = 12 | WATCHDOG_TICK_ENABLE;
    CLR_BITS(RESETS_RESET) = RESETS_TIMER;
}
