/*
 * The bus: I2C0 or I2C1 at 400 or 100 kHz. The words of one transfer are written to the FIFO
 * together. The unit raises an interrupt at the end of the transfer (4.3.10).
 */
#include "../common/port.h"
#include "board.h"
#include "pins.h"
#include "rp2040.h"

/* At 48 MHz, SCL is high for HCNT + SPKLEN + 7 cycles and low for LCNT + 1 (4.3.14.1): 1 us and 1.5
   us at 400 kHz, 4.8 us and 5.2 us at 100 kHz. SDA is held for 312 ns, and spikes of up to 62 ns
   are suppressed. */
#define SCL_HIGH 38
#define SCL_LOW 71
#define SLOW_SCL_HIGH 220
#define SLOW_SCL_LOW 249
#define SPIKES 3
#define HOLD 15

#define MUX_ADDRESS 0x70 /* TCA9548A, A0 to A2 low */
#define RELEASE_CLOCKS 9
#define HALF_CLOCK_US 5
#define DISABLE_POLLS 1000

static struct i2c_registers *unit; /**< the unit that is connected to the pins of the board */
static bool is_slow;    /**< true if the clock of the bus is 100 kHz, false if it is 400 kHz */
static uint8_t address; /**< the address of the chip that the unit accesses */
static const struct bridge_transfer *transfer = &port_bridge.transfer; /**< the last transfer */
static uint8_t selected; /**< the multiplexer's open channels; 0 if unknown */
static uint8_t checked;  /**< the channels that were read back after the last write */
static enum { STAGE_SELECT, STAGE_CHECK, STAGE_ACCESS } stage; /**< stage of the transfer */
static bool has_failed; /**< a byte of the transfer was not acknowledged */

static inline uint32_t unit_interrupt(void) { return 1u << (pins.i2c ? I2C1_IRQ : I2C0_IRQ); }

/* ---- Transfers ------------------------------------------------------------------------------ */

/* Disables the unit. If the unit is not disabled within a few microseconds, its transfer does not
   end; in that case the address stays unchanged, and the next transfer times out. */
static void disable(void) {
    unit->enable = 0;
    for (uint16_t poll = 0; poll < DISABLE_POLLS && (unit->enable_status & I2C_ENABLE); poll++) {
    }
}

/* Sets the address. The address can be changed only while the unit is disabled. */
static void set_address(uint8_t chip) {
    if (address != chip) {
        disable();
        unit->tar = chip;
        unit->enable = I2C_ENABLE;
        address = chip;
    }
}

/* Accesses the chip (SLOS854D 8.5.3): sends the register and the value, or, for a read, the
   register, a repeated START, and a word for each byte. No interrupt may occur between the words:
   if the first word had already failed, the next word would start a separate transfer. */
static void access_chip(void) {
    uint32_t read = I2C_DATA_READ | I2C_DATA_RESTART;
    stage = STAGE_ACCESS;
    set_address(transfer->address_byte >> 1);
    BRIDGE_CRITICAL_ENTER
    unit->data_cmd = transfer->reg;
    for (uint8_t left = transfer->is_read ? transfer->count : 1; left > 1; left--) {
        unit->data_cmd = read;
        read = I2C_DATA_READ;
    }
    unit->data_cmd = I2C_DATA_STOP | (transfer->is_read ? read : transfer->value);
    BRIDGE_CRITICAL_EXIT
}

/* Writes the multiplexer's control register, which takes effect at STOP and closes all other
   channels at the same time (SCPS207 8.5.2). */
static void select_channels(void) {
    stage = STAGE_SELECT;
    checked = 0;
    set_address(MUX_ADDRESS);
    unit->data_cmd = I2C_DATA_STOP | transfer->actuators;
}

static void check_channels(void) {
    stage = STAGE_CHECK;
    set_address(MUX_ADDRESS);
    unit->data_cmd = I2C_DATA_READ | I2C_DATA_STOP;
}

/* Starts the next stage: an access to the chip if the multiplexer connects the chip, otherwise an
   access to the multiplexer. Before an untimed transfer, the control register is also read back. */
static void start_stage(void) {
    if (bridge_bus_is_sensor(&port_bridge)) {
        access_chip();
    } else if (pins.actuators > 1 && selected != transfer->actuators) {
        select_channels();
    } else if (pins.actuators > 1 && bridge_bus_is_untimed(&port_bridge) && checked != selected) {
        check_channels();
    } else {
        access_chip();
    }
}

void board_start_transfer(const struct bridge_transfer *next) {
    transfer = next;
    has_failed = false;
    start_stage();
}

bool board_find_selected(uint8_t *actuators) {
    *actuators = selected;
    return pins.actuators > 1;
}

/* Returns true if the transfer continues with another stage. */
static bool continue_transfer(void) {
    if (has_failed || stage == STAGE_ACCESS) {
        return false;
    }
    if (stage == STAGE_SELECT) {
        selected = transfer->actuators;
        if (bridge_bus_is_switching(&port_bridge)) {
            return false;
        }
    } else {
        checked = (uint8_t)unit->data_cmd;
        if (checked != selected) {
            has_failed = true;
            return false;
        }
    }
    start_stage();
    return true;
}

/* True if the stage ends with reading a byte. */
static bool reads_byte(void) {
    return stage == STAGE_CHECK || (stage == STAGE_ACCESS && transfer->is_read);
}

/* Returns false if the STOP was only a disturbance on SDA; a disturbance during the last byte is
   not detected. After a disturbance, the transfer continues, or the port aborts the transfer when
   it takes too long. */
static bool is_complete(void) {
    return has_failed || ((unit->status & I2C_STATUS_TFE) &&
                          (!reads_byte() || unit->rx_level >= transfer->count));
}

/* Takes the bytes that were read, and returns the last byte. */
static uint8_t take_bytes(void) {
    struct bridge_transfer *taken = &port_bridge.transfer;
    for (; taken->count > 1; taken->count--) {
        *taken->bytes++ = (uint8_t)unit->data_cmd;
    }
    return (uint8_t)unit->data_cmd;
}

/* Reports the end of a transfer. After a failed read, the FIFO may contain bytes. The address can
   be changed only while the unit is disabled. The address of the driver is therefore set now, so
   that this change does not delay the next timed write. */
static void end_transfer(void) {
    bool ok = !has_failed;
    uint8_t value = ok && reads_byte() ? take_bytes() : 0;
    while (unit->rx_level) {
        (void)unit->data_cmd;
    }
    selected = ok ? selected : 0;
    if (bridge_bus_is_sensor(&port_bridge)) {
        set_address(DRIVER_I2C_ADDRESS);
    }
    port_on_bus_end(ok, value);
}

/* Handles the end of a stage. If a byte is not acknowledged, the transfer is aborted; the unit
   empties its FIFO and sends STOP on its own. */
void i2c_interrupt(void) {
    uint32_t causes = unit->intr_stat;
    if (causes & I2C_INTR_TX_ABRT) {
        (void)unit->clr_tx_abrt;
        has_failed = true;
    }
    if (!(causes & I2C_INTR_STOP_DET)) {
        return;
    }
    (void)unit->clr_stop_det;
    if (!is_complete()) {
        return;
    }
    if (!continue_transfer()) {
        end_transfer();
    }
}

/* ---- Start and recovery --------------------------------------------------------------------- */

/* Pulls SDA and SCL low for half a clock, or releases them, by changing the direction of the pins:
   their output values are always low. */
static void pull_low(uint32_t lines) {
    SIO_GPIO_OE_CLR = (1u << pins.sda | 1u << pins.scl) & ~lines;
    SIO_GPIO_OE_SET = lines;
    uint32_t begun_us = board_now_us();
    while (board_now_us() - begun_us <= HALF_CLOCK_US) {
    }
}

static bool is_low(uint32_t line) { return !(SIO_GPIO_IN & line); }

#define BUS_LINES uint32_t
#include "../common/bus_probe.h"

static void connect(uint32_t function) {
    const uint8_t lines[] = {pins.sda, pins.scl};
    for (uint8_t line = 0; line < sizeof lines; line++) {
        PADS_BANK0(lines[line]) = PADS_IE | PADS_DRIVE_4MA | PADS_SCHMITT | PADS_PUE;
        SIO_GPIO_OUT_CLR = 1u << lines[line];
        IO_BANK0_CTRL(lines[line]) = function;
    }
}

/* Frees SDA and SCL. A chip that was sending a byte holds SDA until it has received the remaining
   clocks of the byte; a STOP follows (NXP UM10204 3.1.16). The procedure takes about 120 us. */
static void release_lines(void) {
    pull_low(0);
    connect(IO_FUNCSEL_SIO);
    for (uint8_t clock = 0; clock < RELEASE_CLOCKS && !(SIO_GPIO_IN >> pins.sda & 1); clock++) {
        pull_low(1u << pins.scl);
        pull_low(0);
    }
    pull_low(1u << pins.scl);
    pull_low(1u << pins.scl | 1u << pins.sda);
    pull_low(1u << pins.sda);
    pull_low(0);
}

void i2c_start(void) {
    unit = I2C(pins.i2c);
    NVIC_ICER = unit_interrupt();
    resets_cycle(pins.i2c ? RESETS_I2C1 : RESETS_I2C0);
    release_lines();
    unit->con = I2C_CON_MASTER | I2C_CON_FAST | I2C_CON_RESTART_EN | I2C_CON_SLAVE_DISABLE;
    unit->tar = DRIVER_I2C_ADDRESS;
    address = DRIVER_I2C_ADDRESS;
    unit->fs_scl_hcnt = is_slow ? SLOW_SCL_HIGH : SCL_HIGH;
    unit->fs_scl_lcnt = is_slow ? SLOW_SCL_LOW : SCL_LOW;
    unit->fs_spklen = SPIKES;
    unit->sda_hold = HOLD;
    unit->intr_mask = I2C_INTR_TX_ABRT | I2C_INTR_STOP_DET;
    unit->enable = I2C_ENABLE;
    connect(IO_FUNCSEL_I2C);
    selected = 0;
    NVIC_ICPR = unit_interrupt();
    NVIC_ISER = unit_interrupt();
}

void board_free_bus(void) { i2c_start(); }

/* Returns whether a chip acknowledges an address on the given lines. */
static bool probe(uint8_t chip, uint8_t clock, uint8_t data) {
    pull_low(0);
    connect(IO_FUNCSEL_SIO);
    bool acknowledged = is_address_acknowledged((uint8_t)(chip << 1), 1u << clock, 1u << data);
    i2c_start();
    return acknowledged;
}

bool board_probe(uint8_t chip) { return probe(chip, pins.scl, pins.sda); }

bool board_has_swapped_wires(void) {
    return probe(pins.actuators > 1 ? MUX_ADDRESS : DRIVER_I2C_ADDRESS, pins.sda, pins.scl);
}

void board_set_bus_clock(bool slow) {
    if (is_slow != slow) {
        is_slow = slow;
        i2c_start();
    }
}
