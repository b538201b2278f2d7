#include "dw_i2c.h"

#include "dw_i2c_registers.h"
#include "dw_i2c_transfer.h"

#define I2C_BASE(number) (0x40044000u + 0x4000u * (number))
#define RESETS_I2C(number) (RESETS_I2C0 << (number))

#define ADDRESS_MAX 0x7Fu
#define COUNT_MAX 0xFFFFu
#define SPKLEN_MAX 0xFFu

// ---- Commands and data ----

static void push(struct dw_i2c *i2c, uint32_t value) {
    machine_check_bits(i2c->machine, i2c->name, DATA_CMD, value,
                       0xFFu | CMD_READ | CMD_STOP | CMD_RESTART);
    if (!i2c->is_enabled) {
        machine_crash(i2c->machine, "%s: a command while the unit is disabled", i2c->name);
    }
    if ((i2c->raw & INTR_TX_ABRT) != 0) {
        machine_crash(i2c->machine, "%s: a command before CLR_TX_ABRT was read", i2c->name);
    }
    if (i2c->command_count == DW_I2C_FIFO) {
        machine_crash(i2c->machine, "%s: the transmit FIFO overflows", i2c->name);
    }
    i2c->commands[i2c->command_count++] =
        (struct dw_i2c_command){.value = (uint16_t)value, .when = i2c->machine->now};
    dw_i2c_next(i2c);
    dw_i2c_update(i2c);
}

static uint32_t pop(struct dw_i2c *i2c) {
    if (i2c->received_count == 0) {
        machine_crash(i2c->machine, "%s: a read of its empty receive FIFO", i2c->name);
    }
    uint8_t byte = i2c->received[0];
    i2c->received_count--;
    for (uint32_t index = 0; index < i2c->received_count; index++) {
        i2c->received[index] = i2c->received[index + 1];
    }
    dw_i2c_update(i2c);
    return byte;
}

// Switches the unit on or off. A unit that is switched off flushes its FIFOs immediately, and ends
// a transfer with STOP after the byte that is on the bus (4.3.10.3).
static void enable(struct dw_i2c *i2c, uint32_t value) {
    machine_check_bits(i2c->machine, i2c->name, ENABLE, value, ENABLE_ENABLE);
    bool on = value != 0;
    if (on && !i2c->is_enabled) {
        const uint32_t mode = CON_MASTER | CON_SPEED | CON_SLAVE_DISABLE;
        if ((i2c->control & mode) != (CON_MASTER | CON_SPEED_FAST | CON_SLAVE_DISABLE)) {
            machine_crash(i2c->machine, "%s enabled, but not as a master in fast mode", i2c->name);
        }
        dw_i2c_check_times(i2c);
    }
    i2c->is_enabled = on;
    if (!on) {
        i2c->command_count = 0;
        i2c->received_count = 0;
        dw_i2c_next(i2c);
    }
    dw_i2c_update(i2c);
}

static bool is_active(const struct dw_i2c *i2c) {
    return i2c->step != DW_I2C_RESTS && i2c->step != DW_I2C_FREES;
}

static uint32_t status(const struct dw_i2c *i2c) {
    uint32_t status = is_active(i2c) ? STATUS_ACTIVITY | STATUS_MST_ACTIVITY : 0;
    status |= i2c->command_count < DW_I2C_FIFO ? STATUS_TFNF : 0;
    status |= i2c->command_count == 0 ? STATUS_TFE : 0;
    status |= i2c->received_count != 0 ? STATUS_RFNE : 0;
    status |= i2c->received_count == DW_I2C_FIFO ? STATUS_RFF : 0;
    return status;
}

// ---- Registers ----

static uint32_t peek(void *owner, uint32_t offset) {
    struct dw_i2c *i2c = owner;
    switch (offset) {
    case CON:
        return i2c->control;
    case TAR:
        return i2c->target;
    case FS_SCL_HCNT:
        return i2c->high_count;
    case FS_SCL_LCNT:
        return i2c->low_count;
    case INTR_STAT:
        return dw_i2c_raw_interrupts(i2c) & i2c->mask;
    case INTR_MASK:
        return i2c->mask;
    case RAW_INTR_STAT:
        return dw_i2c_raw_interrupts(i2c);
    case RX_TL:
        return i2c->receive_threshold;
    case TX_TL:
        return i2c->transmit_threshold;
    case ENABLE:
        return i2c->is_enabled ? ENABLE_ENABLE : 0;
    case STATUS:
        return status(i2c);
    case TXFLR:
        return i2c->command_count;
    case RXFLR:
        return i2c->received_count;
    case SDA_HOLD:
        return i2c->hold;
    case TX_ABRT_SOURCE:
        return i2c->abort_source;
    case ENABLE_STATUS:
        return i2c->is_enabled || is_active(i2c) ? ENABLE_ENABLE : 0;
    case FS_SPKLEN:
        return i2c->spike_length;
    default:
        return 0;
    }
}

static uint32_t clear(struct dw_i2c *i2c, uint32_t interrupts) {
    uint32_t was_set = (i2c->raw & interrupts) != 0;
    i2c->raw &= ~interrupts;
    if ((interrupts & INTR_TX_ABRT) != 0) {
        i2c->abort_source = 0;
    }
    dw_i2c_update(i2c);
    return was_set;
}

static uint32_t read(void *owner, uint32_t offset) {
    struct dw_i2c *i2c = owner;
    switch (offset) {
    case DATA_CMD:
        return pop(i2c);
    case CLR_INTR:
        return clear(i2c, INTR_ALL);
    case CLR_TX_ABRT:
        return clear(i2c, INTR_TX_ABRT);
    case CLR_ACTIVITY:
        return clear(i2c, INTR_ACTIVITY);
    case CLR_STOP_DET:
        return clear(i2c, INTR_STOP_DET);
    case CLR_START_DET:
        return clear(i2c, INTR_START_DET);
    case CON:
    case TAR:
    case FS_SCL_HCNT:
    case FS_SCL_LCNT:
    case INTR_STAT:
    case INTR_MASK:
    case RAW_INTR_STAT:
    case RX_TL:
    case TX_TL:
    case ENABLE:
    case STATUS:
    case TXFLR:
    case RXFLR:
    case SDA_HOLD:
    case TX_ABRT_SOURCE:
    case ENABLE_STATUS:
    case FS_SPKLEN:
        return peek(i2c, offset);
    default:
        machine_not_modelled(i2c->machine, i2c->name, offset);
    }
}

// Writes a register that can change only while the unit is disabled.
static void set_up(struct dw_i2c *i2c, uint32_t offset, uint32_t *stored, uint32_t value,
                   uint32_t bits) {
    machine_check_bits(i2c->machine, i2c->name, offset, value, bits);
    if (i2c->is_enabled) {
        machine_crash(i2c->machine, "%s: register 0x%02x written while the unit is enabled",
                      i2c->name, (unsigned)offset);
    }
    *stored = value;
}

static void write(void *owner, uint32_t offset, uint32_t value) {
    struct dw_i2c *i2c = owner;
    switch (offset) {
    case CON:
        set_up(i2c, offset, &i2c->control, value,
               CON_MASTER | CON_SPEED | CON_RESTART_EN | CON_SLAVE_DISABLE | CON_TX_EMPTY_CTRL);
        break;
    case TAR:
        set_up(i2c, offset, &i2c->target, value, ADDRESS_MAX);
        break;
    case DATA_CMD:
        push(i2c, value);
        break;
    case FS_SCL_HCNT:
        set_up(i2c, offset, &i2c->high_count, value, COUNT_MAX);
        break;
    case FS_SCL_LCNT:
        set_up(i2c, offset, &i2c->low_count, value, COUNT_MAX);
        break;
    case INTR_MASK:
        machine_check_bits(i2c->machine, i2c->name, offset, value, INTR_ALL);
        i2c->mask = value;
        dw_i2c_update(i2c);
        break;
    case RX_TL:
        i2c->receive_threshold = value;
        dw_i2c_update(i2c);
        break;
    case TX_TL:
        i2c->transmit_threshold = value;
        dw_i2c_update(i2c);
        break;
    case ENABLE:
        enable(i2c, value);
        break;
    case SDA_HOLD:
        set_up(i2c, offset, &i2c->hold, value, COUNT_MAX);
        break;
    case FS_SPKLEN:
        set_up(i2c, offset, &i2c->spike_length, value, SPKLEN_MAX);
        break;
    default:
        machine_not_modelled(i2c->machine, i2c->name, offset);
    }
}

static void reset(void *owner) {
    struct dw_i2c *i2c = owner;
    dw_i2c_abandon(i2c);
    i2c->control = CON_RESET;
    i2c->target = TAR_RESET;
    i2c->high_count = FS_SCL_HCNT_RESET;
    i2c->low_count = FS_SCL_LCNT_RESET;
    i2c->spike_length = FS_SPKLEN_RESET;
    i2c->hold = 1;
    i2c->mask = INTR_MASK_RESET;
    i2c->raw = 0;
    i2c->abort_source = 0;
    i2c->receive_threshold = 0;
    i2c->transmit_threshold = 0;
    i2c->is_enabled = false;
    i2c->command_count = 0;
    i2c->received_count = 0;
    dw_i2c_update(i2c);
}

void dw_i2c_init(struct dw_i2c *i2c, struct machine *machine, struct i2c_bus *bus,
                 unsigned number) {
    *i2c = (struct dw_i2c){.machine = machine,
                           .bus = bus,
                           .name = number == 0 ? "I2C0" : "I2C1",
                           .irq = number == 0 ? IRQ_I2C0 : IRQ_I2C1};
    i2c_step_init(&i2c->timing, machine->schedule, bus, dw_i2c_step_ends, i2c);
    machine_add_registers(machine,
                          &(struct registers){.name = i2c->name,
                                              .base = I2C_BASE(number),
                                              .supply = {RESETS_I2C(number), BLOCK_CLOCK_SYS},
                                              .read = read,
                                              .peek = peek,
                                              .write = write,
                                              .reset = reset,
                                              .owner = i2c});
    reset(i2c);
}
