/*
 * The registers of the RP2040 that this board uses, named as in its data sheet. Addresses are from
 * section 2.2 of the data sheet; offsets and bits are from the list of registers of each
 * peripheral.
 */
#ifndef RP2040_H
#define RP2040_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* The offsets of the aliases of a peripheral's registers, which change single bits (2.1.2). */
#define SET_ALIAS 0x2000u
#define CLR_ALIAS 0x3000u
#define SET_BITS(reg) (*(volatile uint32_t *)((uintptr_t) & (reg) + SET_ALIAS))
#define CLR_BITS(reg) (*(volatile uint32_t *)((uintptr_t) & (reg) + CLR_ALIAS))

/* ---- Cortex-M0+ (2.4) -------------------------------------------------------------------- */

#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ICER REGISTER(0xe000e180)
#define NVIC_ISPR REGISTER(0xe000e200)
#define NVIC_ICPR REGISTER(0xe000e280)
#define NVIC_IPR0 REGISTER(0xe000e400) /* interrupts 0 to 3 */
#define NVIC_IPR1 REGISTER(0xe000e404) /* interrupts 4 to 7 */
#define NVIC_IPR7 REGISTER(0xe000e41c) /* interrupts 28 to 31 */
#define NVIC_PRIORITY(interrupt, priority)                                                         \
    ((uint32_t)(priority) << (8 * ((interrupt) % 4) + 6)) /* priority 0 (highest) to 3 (lowest) */
#define VTOR REGISTER(0xe000ed08)

enum interrupt {
    TIMER_IRQ_0 = 0,
    TIMER_IRQ_1 = 1,
    USBCTRL_IRQ = 5,
    I2C0_IRQ = 23,
    I2C1_IRQ = 24,
    SERVICE_IRQ = 31, /* has no peripheral: the program pends it (2.3.2) */
    INTERRUPTS = 32,
};

/* ---- Boot ROM (2.8) ---------------------------------------------------------------------- */

#define ROM_VERSION (*(const uint8_t *)0x13) /* 1: chips of revision B0, 2: B1, 3: B2 */
#define ROM_FUNC_TABLE (*(const uint16_t *)0x14)
#define ROM_TABLE_LOOKUP (*(const uint16_t *)0x18)
#define ROM_RESET_USB_BOOT ('U' | 'B' << 8)

/* ---- Resets and power (2.12, 2.13, 2.14) -------------------------------------------------- */

#define RESETS_RESET REGISTER(0x4000c000)
#define RESETS_RESET_DONE REGISTER(0x4000c008)
#define RESETS_I2C0 (1u << 3)
#define RESETS_I2C1 (1u << 4)
#define RESETS_IO_BANK0 (1u << 5)
#define RESETS_PADS_BANK0 (1u << 8)
#define RESETS_PLL_USB (1u << 13)
#define RESETS_TIMER (1u << 21)
#define RESETS_USBCTRL (1u << 24)

#define PSM_WDSEL REGISTER(0x40010008)
#define PSM_ALL 0x1ffffu
#define PSM_ROSC (1u << 0)
#define PSM_XOSC (1u << 1)

#define CHIP_RESET REGISTER(0x40064008)
#define CHIP_RESET_HAD_POR (1u << 8)
#define CHIP_RESET_HAD_RUN (1u << 16)
#define CHIP_RESET_HAD_PSM_RESTART (1u << 20)

/* ---- Clocks (2.15, 2.16, 2.18) ------------------------------------------------------------ */

#define CLK_REF_CTRL REGISTER(0x40008030)
#define CLK_REF_SELECTED REGISTER(0x40008038)
#define CLK_REF_SRC_XOSC 2u
#define CLK_SYS_CTRL REGISTER(0x4000803c)
#define CLK_SYS_SELECTED REGISTER(0x40008044)
#define CLK_SYS_SRC_AUX 1u
#define CLK_SYS_AUXSRC_PLL_USB (1u << 5)
#define CLK_USB_CTRL REGISTER(0x40008054)
#define CLK_USB_ENABLE (1u << 11)

#define XOSC_CTRL REGISTER(0x40024000)
#define XOSC_CTRL_1_15MHZ 0xaa0u
#define XOSC_CTRL_ENABLE (0xfabu << 12)
#define XOSC_STATUS REGISTER(0x40024004)
#define XOSC_STATUS_STABLE (1u << 31)
#define XOSC_STARTUP REGISTER(0x4002400c)

#define PLL_USB_CS REGISTER(0x4002c000)
#define PLL_CS_LOCK (1u << 31)
#define PLL_USB_PWR REGISTER(0x4002c004)
#define PLL_PWR_PD (1u << 0)
#define PLL_PWR_POSTDIVPD (1u << 3)
#define PLL_PWR_VCOPD (1u << 5)
#define PLL_USB_FBDIV_INT REGISTER(0x4002c008)
#define PLL_USB_PRIM REGISTER(0x4002c00c)
#define PLL_PRIM(postdiv1, postdiv2) ((postdiv1) << 16 | (postdiv2) << 12)

/* ---- Watchdog and timer (4.6, 4.7) ---------------------------------------------------------- */

#define WATCHDOG_CTRL REGISTER(0x40058000)
#define WATCHDOG_CTRL_ENABLE (1u << 30)
#define WATCHDOG_LOAD REGISTER(0x40058004)
#define WATCHDOG_REASON REGISTER(0x40058008)
#define WATCHDOG_SCRATCH4 REGISTER(0x4005801c)
#define WATCHDOG_TICK REGISTER(0x4005802c)
#define WATCHDOG_TICK_ENABLE (1u << 9)

#define TIMER_ALARM0 REGISTER(0x40054010)
#define TIMER_ALARM1 REGISTER(0x40054014)
#define TIMER_TIMERAWL REGISTER(0x40054028)
#define TIMER_INTR REGISTER(0x40054034)
#define TIMER_INTE REGISTER(0x40054038)

/* ---- Pins (2.3.1, 2.19) --------------------------------------------------------------------- */

#define GPIO_COUNT 30
#define IO_BANK0_CTRL(gpio) REGISTER(0x40014004 + 8 * (uint32_t)(gpio))
#define IO_FUNCSEL_I2C 3u
#define IO_FUNCSEL_SIO 5u
#define PADS_BANK0(gpio) REGISTER(0x4001c004 + 4 * (uint32_t)(gpio))
#define PADS_IE (1u << 6)
#define PADS_DRIVE_4MA (1u << 4)
#define PADS_PUE (1u << 3)
#define PADS_PDE (1u << 2)
#define PADS_SCHMITT (1u << 1)

#define SIO_GPIO_IN REGISTER(0xd0000004)
#define SIO_GPIO_OUT_SET REGISTER(0xd0000014)
#define SIO_GPIO_OUT_CLR REGISTER(0xd0000018)
#define SIO_GPIO_OE_SET REGISTER(0xd0000024)
#define SIO_GPIO_OE_CLR REGISTER(0xd0000028)

/* ---- I2C (4.3), I2C0 or I2C1 ------------------------------------------------------------------
 */

struct i2c_registers {
    volatile uint32_t con;
    volatile uint32_t tar;
    uint32_t sar[2];
    volatile uint32_t data_cmd;
    uint32_t ss[2];
    volatile uint32_t fs_scl_hcnt;
    volatile uint32_t fs_scl_lcnt;
    uint32_t reserved_24[2];
    volatile uint32_t intr_stat;
    volatile uint32_t intr_mask;
    volatile uint32_t raw_intr_stat;
    uint32_t thresholds[2];
    uint32_t clr_40[5];
    volatile uint32_t clr_tx_abrt;
    uint32_t clr_58[2];
    volatile uint32_t clr_stop_det;
    uint32_t clr_64[2];
    volatile uint32_t enable;
    volatile uint32_t status;
    uint32_t tx_level;
    volatile uint32_t rx_level;
    volatile uint32_t sda_hold;
    uint32_t reserved_80[7];
    volatile uint32_t enable_status;
    volatile uint32_t fs_spklen;
};

#define I2C(unit) ((struct i2c_registers *)(0x40044000u + 0x4000u * (unit)))
#define I2C_CON_MASTER (1u << 0)
#define I2C_CON_FAST (2u << 1)
#define I2C_CON_RESTART_EN (1u << 5)
#define I2C_CON_SLAVE_DISABLE (1u << 6)
#define I2C_DATA_READ (1u << 8)
#define I2C_DATA_STOP (1u << 9)
#define I2C_DATA_RESTART (1u << 10)
#define I2C_INTR_TX_ABRT (1u << 6)
#define I2C_INTR_STOP_DET (1u << 9)
#define I2C_ENABLE 1u
#define I2C_STATUS_TFE (1u << 2)

/* ---- USB (4.1) ----------------------------------------------------------------------------------
 */

#define USB_DPRAM 0x50100000u
#define USB_DPRAM_SIZE 4096u
#define USB_SETUP_PACKET ((const volatile uint8_t *)USB_DPRAM)
#define USB_EP_CONTROL_IN(endpoint) REGISTER(USB_DPRAM + 8 * (endpoint))
#define USB_EP_CONTROL_OUT(endpoint) REGISTER(USB_DPRAM + 8 * (endpoint) + 4)
#define USB_EP_ENABLE (1u << 31)
#define USB_EP_INT_EACH (1u << 29)
#define USB_EP_BULK (2u << 26)
#define USB_EP_INTERRUPT (3u << 26)
#define USB_BUFFER_IN(endpoint) REGISTER(USB_DPRAM + 0x80 + 8 * (endpoint))
#define USB_BUFFER_OUT(endpoint) REGISTER(USB_DPRAM + 0x84 + 8 * (endpoint))
#define USB_BUFFER_FULL (1u << 15)
#define USB_BUFFER_DATA1 (1u << 13)
#define USB_BUFFER_STALL (1u << 11)
#define USB_BUFFER_AVAILABLE (1u << 10)
#define USB_BUFFER_LENGTH 0x3ffu

#define USB_ADDR_ENDP REGISTER(0x50110000)
#define USB_MAIN_CTRL REGISTER(0x50110040)
#define USB_MAIN_CTRL_ENABLE (1u << 0)
#define USB_SOF_RD REGISTER(0x50110048)
#define USB_SIE_CTRL REGISTER(0x5011004c)
#define USB_SIE_CTRL_PULLUP_EN (1u << 16)
#define USB_SIE_CTRL_EP0_INT_1BUF (1u << 29)
#define USB_SIE_STATUS REGISTER(0x50110050)
#define USB_SIE_STATUS_SETUP_REC (1u << 17)
#define USB_SIE_STATUS_BUS_RESET (1u << 19)
#define USB_SIE_STATUS_RESUME (1u << 11)
#define USB_SIE_STATUS_SUSPENDED (1u << 4)
#define USB_BUFF_STATUS REGISTER(0x50110058)
#define USB_BUFF_STATUS_IN(endpoint) (1u << (2 * (endpoint)))
#define USB_BUFF_STATUS_OUT(endpoint) (2u << (2 * (endpoint)))
#define USB_BUFFER_BIT(buffer)                                                                     \
    (1u << ((uint32_t)((buffer) - &USB_BUFFER_IN(0u)))) /* in BUFF_STATUS */
#define USB_EP_ABORT REGISTER(0x50110060)               /* bits as in BUFF_STATUS */
#define USB_EP_ABORT_DONE REGISTER(0x50110064)
#define USB_EP_STALL_ARM REGISTER(0x50110068)
#define USB_EP_STALL_ARM_EP0 3u
#define USB_MUXING REGISTER(0x50110074)
#define USB_MUXING_TO_PHY (1u << 0)
#define USB_MUXING_SOFTCON (1u << 3)
#define USB_PWR REGISTER(0x50110078)
#define USB_PWR_VBUS_DETECT (1u << 2)
#define USB_PWR_VBUS_DETECT_OVERRIDE_EN (1u << 3)
#define USB_INTE REGISTER(0x50110090)
#define USB_INTS REGISTER(0x50110098)
#define USB_INT_BUFF_STATUS (1u << 4)
#define USB_INT_BUS_RESET (1u << 12)
#define USB_INT_SUSPEND (1u << 14)
#define USB_INT_RESUME (1u << 15)
#define USB_INT_SETUP_REQ (1u << 16)
#define USB_INT_DEV_SOF (1u << 17)

/* ---- Flash (4.10)
   --------------------------------------------------------------------------------- */

#define XIP_BASE 0x10000000u
#define SSI_CTRLR0 REGISTER(0x18000000)
#define SSI_CTRLR0_FRAME_BITS(bits) (((bits)-1u) << 16)
#define SSI_CTRLR0_EEPROM_READ (3u << 8)
#define SSI_CTRLR1 REGISTER(0x18000004)
#define SSI_SSIENR REGISTER(0x18000008)
#define SSI_SER REGISTER(0x18000010)
#define SSI_BAUDR REGISTER(0x18000014)
#define SSI_SR REGISTER(0x18000028)
#define SSI_SR_BUSY (1u << 0)
#define SSI_SR_TFNF (1u << 1)
#define SSI_SR_RFNE (1u << 3)
#define SSI_DR0 REGISTER(0x18000060)
#define SSI_SPI_CTRLR0 REGISTER(0x180000f4)
#define SSI_SPI_CTRLR0_XIP_CMD(command) ((uint32_t)(command) << 24)
#define SSI_SPI_CTRLR0_INST_8_BITS (2u << 8)
#define SSI_SPI_CTRLR0_ADDR_24_BITS (6u << 2)
#define IO_QSPI_SS_CTRL REGISTER(0x4001800c)
#define IO_OUTOVER (3u << 8)
#define IO_OUTOVER_LOW (2u << 8)
#define IO_OUTOVER_HIGH (3u << 8)

/* ---- Common
   ---------------------------------------------------------------------------------------- */

/** Resets peripherals, so that all of their registers have their reset values. The function is
    always inlined, because start.c must not call a function outside of its section. */
__attribute__((always_inline)) static inline void resets_cycle(uint32_t peripherals) {
    SET_BITS(RESETS_RESET) = peripherals;
    CLR_BITS(RESETS_RESET) = peripherals;
    while (~RESETS_RESET_DONE & peripherals) {
    }
}

#endif
