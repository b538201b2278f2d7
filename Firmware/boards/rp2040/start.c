/*
 * The start of the program: starts the clocks, copies the image to RAM, and sets the vectors. The
 * code runs from the flash, and may therefore call only functions in this file that are in the
 * section .start.
 */
#include "interrupts.h"
#include "rp2040.h"

#define START __attribute__((section(".start")))

/* The start-up delay of XOSC, in units of 256 periods of 12 MHz: 64 ms, which suffices for the
   slowest crystal of the boards that use this image. */
#define XOSC_STARTUP_DELAY (64 * 47)

/* 12 MHz x 100 / 5 / 5 = 48 MHz. */
#define PLL_FEEDBACK 100
#define PLL_POSTDIV1 5u
#define PLL_POSTDIV2 5u

#define XOSC_MHZ 12u

/* The exceptions of the processor that have a vector; the other exceptions are reserved. */
#define NMI 2
#define HARD_FAULT 3
#define SV_CALL 11
#define PEND_SV 14
#define SYS_TICK 15
#define EXCEPTIONS 16

extern uint32_t image_start[], image_end[], bss_start[], bss_end[], stack_top[];
extern const uint32_t image_load[];

int main(void);

/* ---- Clocks -------------------------------------------------------------------------------- */

START static void start_crystal(void) {
    XOSC_STARTUP = XOSC_STARTUP_DELAY;
    XOSC_CTRL = XOSC_CTRL_1_15MHZ | XOSC_CTRL_ENABLE;
    while (!(XOSC_STATUS & XOSC_STATUS_STABLE)) {
    }
    CLK_REF_CTRL = CLK_REF_SRC_XOSC;
    while (!(CLK_REF_SELECTED & 1u << CLK_REF_SRC_XOSC)) {
    }
}

START static void start_pll(void) {
    resets_cycle(RESETS_PLL_USB);
    PLL_USB_CS = 1; /* the crystal is not divided */
    PLL_USB_FBDIV_INT = PLL_FEEDBACK;
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
    while (!(PLL_USB_CS & PLL_CS_LOCK)) {
    }
    PLL_USB_PRIM = PLL_PRIM(PLL_POSTDIV1, PLL_POSTDIV2);
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_POSTDIVPD;
}

/* Starts the clocks. clk_sys and clk_usb both run at 48 MHz; the timer and the watchdog count
   microseconds derived from the crystal. The auxiliary source of a clock is selected while the
   clock's glitchless multiplexer does not use that source. */
START static void start_clocks(void) {
    start_crystal();
    start_pll();
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB;
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB | CLK_SYS_SRC_AUX;
    while (!(CLK_SYS_SELECTED & 1u << CLK_SYS_SRC_AUX)) {
    }
    CLK_USB_CTRL = CLK_USB_ENABLE;
    WATCHDOG_TICK = XOSC_MHZ | WATCHDOG_TICK_ENABLE;
}

/* ---- The image ------------------------------------------------------------------------------- */

START __attribute__((noreturn)) static void reset(void) {
    start_clocks();
    const uint32_t *from = image_load;
    for (uint32_t *to = image_start; to < image_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_start; to < bss_end; to++) {
        *to = 0;
    }
    VTOR = (uint32_t)image_start;
    int (*volatile run)(void) = main; /* the target is too far away for a branch */
    run();
    __builtin_unreachable();
}

/* Handles a fault or an unexpected interrupt: sets all EN pins low, and waits until the watchdog
   resets the controller. */
static void stop(void) {
    __asm__ volatile("cpsid i");
    for (;;) {
        SIO_GPIO_OUT_CLR = UINT32_MAX;
    }
}

/* The vector table (2.4.5). boot2 reads only the first two entries of the copy in the flash. */
__attribute__((section(".vectors"),
               used)) static void (*const vectors[EXCEPTIONS + INTERRUPTS])(void) = {
    [0] = (void (*)(void))stack_top,
    [1] = reset,
    [NMI] = stop,
    [HARD_FAULT] = stop,
    [SV_CALL] = stop,
    [PEND_SV] = stop,
    [SYS_TICK] = stop,
    [EXCEPTIONS + TIMER_IRQ_0] = timer_interrupt,
    [EXCEPTIONS + TIMER_IRQ_1] = beat_interrupt,
    [EXCEPTIONS + USBCTRL_IRQ] = usb_interrupt,
    [EXCEPTIONS + I2C0_IRQ] = i2c_interrupt,
    [EXCEPTIONS + I2C1_IRQ] = i2c_interrupt,
    [EXCEPTIONS + SERVICE_IRQ] = service_interrupt,
};
