// The registers of the DRV2605 and the DRV2605L, their writable bits, and their values after reset.
#include "drv2605_model_internal.h"

struct register_row {
    uint8_t reset_2605;  // from the register map in SLOS825E; some values are uncertain (see below)
    uint8_t reset_2605l; // SLOS854D p35
    uint8_t writable_2605; // bits that can be written: neither reserved nor read-only
    uint8_t writable_2605l;
};

// The values of 0x1B-0x22 of the DRV2605 are uncertain, because they are from a secondary source.
// The DRV2605L datasheet gives A_CAL_BEMF as 0x6C in the map (used here) and 0x6F in the field
// text, and OL_LRA_PERIOD as 0x33 in the map (used here) and 0 in the text. A driver must write
// every register that it relies on.
static const struct register_row register_table[MODEL_REGISTER_COUNT] = {
    [MODEL_REG_STATUS] = {0x60, 0xE0, 0x00, 0x00},
    [MODEL_REG_MODE] = {0x40, 0x40, 0xC7, 0xC7},
    [MODEL_REG_RTP_INPUT] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_LIBRARY] = {0x00, 0x01, 0x17, 0x17},
    [MODEL_REG_SEQ1] = {0x01, 0x01, 0xFF, 0xFF},
    [MODEL_REG_SEQ1 + 1] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SEQ1 + 2] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SEQ1 + 3] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SEQ1 + 4] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SEQ1 + 5] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SEQ1 + 6] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SEQ8] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_GO] = {0x00, 0x00, 0x01, 0x01},
    [MODEL_REG_ODT] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SPT] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_SNT] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_BRT] = {0x00, 0x00, 0xFF, 0xFF},
    [MODEL_REG_ATH_CTRL] = {0x05, 0x05, 0x0F, 0x0F},
    [MODEL_REG_ATH_MIN_INPUT] = {0x19, 0x19, 0xFF, 0xFF},
    [MODEL_REG_ATH_MAX_INPUT] = {0xFF, 0xFF, 0xFF, 0xFF},
    [MODEL_REG_ATH_MIN_DRIVE] = {0x19, 0x19, 0xFF, 0xFF},
    [MODEL_REG_ATH_MAX_DRIVE] = {0xFF, 0xFF, 0xFF, 0xFF},
    [MODEL_REG_RATED_VOLTAGE] = {0x3F, 0x3E, 0xFF, 0xFF},
    [MODEL_REG_OD_CLAMP] = {0x89, 0x8C, 0xFF, 0xFF},
    [MODEL_REG_A_CAL_COMP] = {0x0D, 0x0C, 0xFF, 0xFF},
    [MODEL_REG_A_CAL_BEMF] = {0x6D, 0x6C, 0xFF, 0xFF},
    [MODEL_REG_FEEDBACK] = {0x36, 0x36, 0xFF, 0xFF},
    [MODEL_REG_CONTROL1] = {0x93, 0x93, 0xBF, 0xBF},
    [MODEL_REG_CONTROL2] = {0xF5, 0xF5, 0xFF, 0xFF},
    [MODEL_REG_CONTROL3] = {0xA0, 0xA0, 0xFF, 0xFF},
    [MODEL_REG_CONTROL4] = {0x20, 0x20, 0x31, 0xF1}, // ZC_DET_TIME exists only on the DRV2605L
    [MODEL_REG_CONTROL5] = {0x00, 0x80, 0x00, 0xFF},
    [MODEL_REG_OL_LRA_PERIOD] = {0x00, 0x33, 0x00, 0x7F},
    [MODEL_REG_VBAT] = {0x00, 0x00, 0x00, 0x00},
    [MODEL_REG_LRA_PERIOD] = {0x00, 0x00, 0x00, 0x00},
};

static bool is_l_part(const struct drv2605_model *model) {
    return model->device_id != MODEL_ID_DRV2605;
}

void model_reset_registers(struct drv2605_model *model) {
    for (uint8_t address = 0; address < MODEL_REGISTER_COUNT; address++) {
        const struct register_row *row = &register_table[address];
        model->registers[address] = is_l_part(model) ? row->reset_2605l : row->reset_2605;
    }
}

bool model_has_register(const struct drv2605_model *model, uint8_t address) {
    if (address >= MODEL_REGISTER_COUNT) {
        return false; // 0xFD-0xFF are the RAM window of the DRV2604, which has no ROM
    }
    bool only_l = address == MODEL_REG_CONTROL5 || address == MODEL_REG_OL_LRA_PERIOD;
    return is_l_part(model) || !only_l;
}

uint8_t model_writable_bits(const struct drv2605_model *model, uint8_t address) {
    const struct register_row *row = &register_table[address];
    return is_l_part(model) ? row->writable_2605l : row->writable_2605;
}

static uint8_t status_value(const struct drv2605_model *model) {
    uint8_t value = (uint8_t)(model->device_id << MODEL_DEVICE_ID_SHIFT);
    value |= model->diagnostic_failed ? MODEL_DIAG_RESULT : 0;
    value |= model->over_temperature ? MODEL_OVER_TEMP : 0;
    value |= model->overcurrent ? MODEL_OC_DETECT : 0;
    return value;
}

// Returns the value n of VBAT, from which V = n x 5.6 / 255. The register is valid only while the
// chip drives (SLOS854D p35); at rest, the model returns 0.
static uint8_t supply_value(const struct drv2605_model *model) {
    int16_t drive = model_present_drive(model);
    if (drive == 0) {
        return 0;
    }
    uint32_t magnitude = (uint32_t)(drive < 0 ? -drive : drive);
    uint32_t sag_mv = model->sag_mv * magnitude / 255u;
    uint32_t supply_mv = model->supply_mv > sag_mv ? model->supply_mv - sag_mv : 0;
    uint32_t steps = supply_mv * 255u / 5600u;
    return (uint8_t)(steps < 255u ? steps : 255u);
}

// Returns the value n of LRA_PERIOD: the period is n x 98.46 us. The register is valid only while
// the chip drives an LRA and tracks its resonance (SLOS854D p35); at rest, the model returns 0.
// Rounding to the nearest step is invented.
static uint8_t period_value(const struct drv2605_model *model) {
    bool tracking = model_is_lra(model) && model_is_closed_loop(model);
    if (!tracking || model_present_drive(model) == 0 || model->resonance_millihertz == 0) {
        return 0;
    }
    uint64_t period_ns = UINT64_C(1000000000000) / model->resonance_millihertz;
    uint64_t steps = (period_ns + 98460u / 2u) / 98460u;
    return (uint8_t)(steps < 255u ? steps : 255u);
}

// Returns the reserved bits of a register, whose values the datasheets do not specify.
static uint8_t reserved_value(const struct drv2605_model *model, uint8_t address) {
    bool is_setting = address == MODEL_REG_LIBRARY || address >= MODEL_REG_RATED_VOLTAGE;
    return model->reserved_bits_read_one && is_setting
               ? (uint8_t)~model_writable_bits(model, address)
               : 0;
}

uint8_t model_peek_register(const struct drv2605_model *model, uint8_t address) {
    if (!model_has_register(model, address)) {
        return 0;
    }
    switch (address) {
    case MODEL_REG_STATUS:
        return status_value(model);
    case MODEL_REG_VBAT:
        return supply_value(model);
    case MODEL_REG_LRA_PERIOD:
        return period_value(model);
    default:
        return model->registers[address] | reserved_value(model, address);
    }
}

void model_count_undefined(struct drv2605_model *model, uint8_t address) {
    model->undefined_accesses++;
    model->last_undefined_register = address;
}
