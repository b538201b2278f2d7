// Tests of the behavior that the datasheet specifies for clocks, resets, buses, pins and the boot
// ROM, and of the accesses that the simulator must refuse because they fail, or may fail, on a real
// chip.
#include "program.h"

#define WATCHDOG_SCRATCH0 REGISTER(0x4005800c)
#define CHIP_ID REGISTER(0x40000000)
#define SIO_GPIO_OUT REGISTER(0xd0000010)
#define SIO_GPIO_OE REGISTER(0xd0000020)
#define UART0_DR REGISTER(0x40034000)

// ---- Clocks ----

PROGRAM(clocks, "the clocks can be switched to 48 MHz") {
    start_sys();
    CHECK(CLK_REF_SELECTED == 1u << 2 && CLK_SYS_SELECTED == 1u << 1);
}

// An iteration takes 4 cycles, for NOP, SUBS, and a BNE that is taken.
static void spend(uint32_t rounds) {
    __asm__ volatile("1: nop\n subs %0, #1\n bne 1b" : "+l"(rounds)::"cc");
}

PROGRAM(sys_time, "clk_sys has 48 cycles per microsecond of TIMER") {
    start_timer();
    uint32_t begun = TIMER_TIMERAWL;
    spend(12000);
    uint32_t us = TIMER_TIMERAWL - begun;
    CHECK(us == 1000 || us == 1001);
}

REFUSED(ref_too_early, "clk_ref cannot come from a crystal that is not stable",
        "clk_ref is switched to XOSC, which is not stable") {
    XOSC_CTRL = XOSC_CTRL_1_15MHZ | XOSC_CTRL_ENABLE;
    CLK_REF_CTRL = CLK_REF_SRC_XOSC;
}

REFUSED(crystal_range, "XOSC_CTRL must specify the crystal's range", "XOSC_CTRL 0xfab000") {
    XOSC_CTRL = XOSC_CTRL_ENABLE;
}

REFUSED(pll_too_early, "a PLL requires the crystal",
        "PLL_USB is powered while XOSC is not stable") {
    CLR_BITS(RESETS_RESET) = RESETS_PLL_USB;
    PLL_USB_FBDIV_INT = PLL_48_MHZ_FEEDBACK;
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
}

REFUSED(pll_in_reset, "the registers of a PLL in reset cannot be accessed",
        "an access to PLL_USB, which is held") {
    start_crystal();
    PLL_USB_FBDIV_INT = PLL_48_MHZ_FEEDBACK;
}

REFUSED(pll_range, "the frequency of a VCO has limits", "the VCO of PLL_USB at 480 MHz") {
    start_crystal();
    start_pll(40);
}

REFUSED(sys_not_locked, "clk_sys cannot come from a PLL that does not run",
        "clk_sys is switched to a source that does not run") {
    start_crystal();
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB;
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB | CLK_SYS_SRC_AUX;
}

REFUSED(sys_too_early, "clk_sys cannot come from a PLL that has not locked",
        "clk_sys is switched to a source that does not run") {
    start_crystal();
    CLR_BITS(RESETS_RESET) = RESETS_PLL_USB;
    PLL_USB_FBDIV_INT = PLL_48_MHZ_FEEDBACK;
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
    PLL_USB_PRIM = PLL_48_MHZ_PRIM;
    CLR_BITS(PLL_USB_PWR) = PLL_PWR_POSTDIVPD;
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB;
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB | CLK_SYS_SRC_AUX;
}

REFUSED(sys_glitch, "the auxiliary source of clk_sys must change before it is selected",
        "the auxiliary source of clk_sys changes while it is used") {
    start_crystal();
    start_pll(PLL_48_MHZ_FEEDBACK);
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB | CLK_SYS_SRC_AUX;
}

REFUSED(sys_speed, "clk_sys at another frequency is not modeled", "clk_sys of 60 MHz") {
    start_crystal();
    start_pll(125);
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB;
    CLK_SYS_CTRL = CLK_SYS_AUXSRC_PLL_USB | CLK_SYS_SRC_AUX;
}

REFUSED(usb_clock_speed, "clk_usb must run at 48 MHz", "clk_usb of 0 MHz") {
    CLK_USB_CTRL = CLK_USB_ENABLE;
}

REFUSED(pll_removed, "a PLL that is in use must not be reset", "PLL_USB is reset while a clock") {
    start_sys();
    SET_BITS(RESETS_RESET) = RESETS_PLL_USB;
}

// ---- Resets ----

PROGRAM(resets, "after a reset, the ROM has released only TIMER and the pins of the flash") {
    CHECK(RESETS_RESET == (0x1FFFFFFu & ~(RESETS_TIMER | 1u << 6 | 1u << 9)));
}

PROGRAM(usb_without_clock, "USBCTRL stays in reset without clk_usb") {
    CLR_BITS(RESETS_RESET) = RESETS_USBCTRL | RESETS_I2C0;
    CHECK((RESETS_RESET_DONE & (RESETS_USBCTRL | RESETS_I2C0)) == RESETS_I2C0);
    start_sys();
    CLK_USB_CTRL = CLK_USB_ENABLE;
    CHECK((RESETS_RESET_DONE & RESETS_USBCTRL) != 0);
}

REFUSED(block_in_reset, "a block in reset cannot be used",
        "an access to IO_BANK0, which is held in reset") {
    IO_BANK0_CTRL(0) = IO_FUNCSEL_SIO;
}

REFUSED(unknown_block, "a block that is not modeled cannot be used",
        "an access to 0x40034000, which is not modeled") {
    UART0_DR = 0;
}

REFUSED(unknown_register, "a register that is not modeled cannot be used",
        "TIMER + 0x2c is not modeled") {
    start_timer();
    REGISTER(0x4005402c) = 1; // DBGPAUSE
}

REFUSED(unknown_bit, "a bit that is not modeled cannot be set",
        "0x10005 for IO_BANK0 + 0x4: bits 0x10000 are not modeled") {
    CLR_BITS(RESETS_RESET) = RESETS_IO_BANK0;
    IO_BANK0_CTRL(0) = IO_FUNCSEL_SIO | 1u << 16;
}

PROGRAM(chip_id, "SYSINFO identifies the chip as RP2040-B2") {
    CLR_BITS(RESETS_RESET) = 1u << 19;
    CHECK(CHIP_ID == 0x20002927);
}

PROGRAM(atomic, "the aliases set, clear and toggle bits") {
    PSM_WDSEL = 0xF0;
    SET_BITS(PSM_WDSEL) = 0x0F;
    CHECK(PSM_WDSEL == 0xFF);
    CLR_BITS(PSM_WDSEL) = 0x81;
    CHECK(PSM_WDSEL == 0x7E);
    *(volatile uint32_t *)((uint32_t)&PSM_WDSEL + 0x1000) = 0xFF;
    CHECK(PSM_WDSEL == 0x81);
}

PROGRAM(narrow, "a narrow write affects all lanes, but a narrow read only one") {
    WATCHDOG_SCRATCH0 = 0;
    *(volatile uint8_t *)&WATCHDOG_SCRATCH0 = 0xA5;
    CHECK(WATCHDOG_SCRATCH0 == 0xA5A5A5A5);
    *(volatile uint16_t *)&WATCHDOG_SCRATCH0 = 0x1234;
    CHECK(WATCHDOG_SCRATCH0 == 0x12341234);
    CHECK(*(volatile uint8_t *)((uint32_t)&WATCHDOG_SCRATCH0 + 1) == 0x12);
}

// ---- Pins ----

static void start_pins(void) { CLR_BITS(RESETS_RESET) = RESETS_IO_BANK0 | RESETS_PADS_BANK0; }

PROGRAM(pads_reset, "a pad has a pull-down and an input after a reset") {
    start_pins();
    CHECK(PADS_BANK0(0) == 0x56 && PADS_BANK0(29) == 0x56 && IO_BANK0_CTRL(29) == 31);
    CHECK(SIO_GPIO_IN == 0);
}

PROGRAM(pin_output, "a pin is driven if it is an output of the SIO") {
    start_pins();
    SIO_GPIO_OUT_SET = 1u << 6;
    CHECK(SIO_GPIO_IN == 0);
    SIO_GPIO_OE_SET = 1u << 6;
    CHECK(SIO_GPIO_IN == 0);
    IO_BANK0_CTRL(6) = IO_FUNCSEL_SIO;
    CHECK(SIO_GPIO_IN == 1u << 6);
    SIO_GPIO_OUT_CLR = 1u << 6;
    CHECK(SIO_GPIO_IN == 0 && SIO_GPIO_OUT == 0 && SIO_GPIO_OE == 1u << 6);
}

PROGRAM(pin_pull_up,
        "a pin that is not driven is pulled up, and can be read if its input is enabled") {
    start_pins();
    PADS_BANK0(2) = PADS_IE | PADS_PUE;
    CHECK(SIO_GPIO_IN == 1u << 2);
    PADS_BANK0(2) = PADS_PUE;
    CHECK(SIO_GPIO_IN == 0);
}

PROGRAM(pin_reset, "IO_BANK0 in reset releases its pins") {
    start_pins();
    SIO_GPIO_OUT_SET = 1;
    SIO_GPIO_OE_SET = 1;
    IO_BANK0_CTRL(0) = IO_FUNCSEL_SIO;
    CHECK(SIO_GPIO_IN == 1);
    resets_cycle(RESETS_IO_BANK0);
    CHECK(SIO_GPIO_IN == 0);
}

REFUSED(pin_function, "a function of a pin that is not modeled", "function 2 of GPIO7") {
    start_pins();
    IO_BANK0_CTRL(7) = 2;
}

// ---- ROM ----

typedef uint32_t lookup(uint32_t table, uint32_t code);

PROGRAM(rom_table, "the ROM finds reset_usb_boot and no other function") {
    lookup *find = (lookup *)(uint32_t)ROM_TABLE_LOOKUP;
    CHECK(find(ROM_FUNC_TABLE, ROM_RESET_USB_BOOT) != 0);
    CHECK(find(ROM_FUNC_TABLE, 'I' | 'F' << 8) == 0);
}
