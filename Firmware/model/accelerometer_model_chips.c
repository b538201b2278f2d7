#include "accelerometer_model_chips.h"

#include <string.h>

// ---- Registers ----

#define LIS_OUT_X_L 0x28
#define LIS_OUT_Z_H 0x2D
#define LIS_STATUS 0x27
#define LIS_FIFO_CTRL 0x2E
#define LIS_FIFO_STATUS 0x2F // FIFO_SRC_REG of the LIS3DH, FIFO_SAMPLES of the LIS2DW12
#define LIS_CTRL_FIRST 0x20
#define LIS_CTRL1 0x20

#define LIS3DH_CTRL4 0x23
#define LIS3DH_HR 0x08
#define LIS3DH_CTRL5 0x24
#define LIS3DH_FIFO_EN 0x40
#define LIS3DH_LPEN 0x08
#define LIS3DH_WTM 0x80
#define LIS3DH_EMPTY 0x20
#define LIS_OVERRUN 0x40 // in both registers
#define LIS_DEPTH 32u
#define LIS_DATA_READY 0x01
#define LIS3DH_DATA_READY 0x0F // for each axis, and for all axes

#define LIS2DW12_CTRL2 0x21
#define LIS2DW12_CTRL6 0x25
#define LIS2DW12_SOFT_RESET 0x40
#define LIS2DW12_IF_ADD_INC 0x04
#define LIS2DW12_MODE 0x0C // of CTRL1
#define LIS2DW12_HIGH_PERFORMANCE 0x04
#define LIS2DW12_LPMODE 0x03 // of CTRL1

#define LSM6_FUNC_CFG_ACCESS 0x01
#define LSM6_PAGES 0xC0 // access to the embedded functions, and to the sensor hub
#define LSM6_FIFO_CTRL_FIRST 0x07
#define LSM6_FIFO_CTRL3 0x09
#define LSM6_FIFO_CTRL4 0x0A
#define LSM6_CTRL1_XL 0x10
#define LSM6_CTRL3_C 0x12
#define LSM6_CTRL10_C 0x19
#define LSM6_SW_RESET 0x01
#define LSM6_IF_INC 0x04
#define LSM6_BOOT 0x80
#define LSM6_STATUS 0x1E
#define LSM6_OUT_X_L_A 0x28
#define LSM6_FIFO_STATUS1 0x3A
#define LSM6_FIFO_STATUS2 0x3B
#define LSM6_FIFO_FULL 0x20
#define LSM6_FIFO_OVERRUN 0x40
#define LSM6_FIFO_TAG 0x78
#define LSM6_FIFO_OUT_X_L 0x79
#define LSM6_FIFO_OUT_Z_H 0x7E
#define LSM6_TAG_ACCELEROMETER 0x02
#define LSM6_DEPTH 512u

static bool is_lsm6(const struct accelerometer_model *model) {
    return model->kind == ACCELEROMETER_LSM6DSO;
}

static bool is_lis3dh(const struct accelerometer_model *model) {
    return model->kind == ACCELEROMETER_LIS3DH;
}

void accelerometer_chip_reset(struct accelerometer_model *model) {
    memset(model->registers, 0, sizeof model->registers);
    if (is_lis3dh(model)) {
        model->registers[0x1E] = 0x10;
        model->registers[LIS_CTRL1] = 0x07;
    } else if (is_lsm6(model)) {
        model->registers[LSM6_CTRL3_C] = LSM6_IF_INC;
        model->registers[0x18] = 0xE0;
    } else {
        model->registers[LIS2DW12_CTRL2] = LIS2DW12_IF_ADD_INC;
    }
}

bool accelerometer_chip_is_writable(const struct accelerometer_model *model, uint8_t address) {
    if (is_lsm6(model)) {
        return (address >= 0x01 && address <= 0x02) ||
               (address >= LSM6_FIFO_CTRL_FIRST && address <= 0x0E) ||
               (address >= LSM6_CTRL1_XL && address <= LSM6_CTRL10_C) || address == 0x42 ||
               (address >= 0x56 && address <= 0x5F) || (address >= 0x73 && address <= 0x75);
    }
    bool is_control = address >= LIS_CTRL_FIRST && address <= LIS3DH_CTRL4 + 3;
    bool is_detection = address >= 0x30 && address <= 0x3F;
    return is_control || is_detection || address == LIS_FIFO_CTRL ||
           (is_lis3dh(model) && (address == 0x1E || address == 0x1F));
}

bool accelerometer_chip_has_other_page(const struct accelerometer_model *model, uint8_t address) {
    return is_lsm6(model) && address != LSM6_FUNC_CFG_ACCESS &&
           (model->registers[LSM6_FUNC_CFG_ACCESS] & LSM6_PAGES);
}

bool accelerometer_chip_written(struct accelerometer_model *model, uint8_t address) {
    uint8_t value = model->registers[address];
    if (is_lsm6(model)) {
        if (address == LSM6_CTRL3_C && (value & LSM6_SW_RESET)) {
            accelerometer_chip_reset(model);
            return true;
        }
        if (address == LSM6_CTRL3_C) {
            model->registers[address] = value & (uint8_t)~LSM6_BOOT;
        }
        return address == LSM6_CTRL1_XL;
    }
    if (!is_lis3dh(model) && address == LIS2DW12_CTRL2 && (value & LIS2DW12_SOFT_RESET)) {
        accelerometer_chip_reset(model);
        return true;
    }
    return address == LIS_CTRL1 || (!is_lis3dh(model) && address == LIS2DW12_CTRL6);
}

// ---- Rate, range and bandwidth ----

double accelerometer_model_rate_hz(const struct accelerometer_model *model) {
    static const double lis3dh[16] = {0, 1, 10, 25, 50, 100, 200, 400, 0, 1344};
    static const double lis2dw12[16] = {0, 12.5, 12.5, 25, 50, 100, 200, 400, 800, 1600};
    static const double low_power[16] = {0, 1.6, 12.5, 25, 50, 100, 200, 200, 200, 200};
    static const double lsm6[16] = {0, 12.5, 26, 52, 104, 208, 416, 833, 1666, 3332, 6664};
    uint8_t control = model->registers[is_lsm6(model) ? LSM6_CTRL1_XL : LIS_CTRL1];
    if (is_lis3dh(model)) {
        return control & LIS3DH_LPEN ? 0 : lis3dh[control >> 4];
    }
    if (is_lsm6(model)) {
        return lsm6[control >> 4];
    }
    uint8_t mode = control & LIS2DW12_MODE;
    return mode == LIS2DW12_HIGH_PERFORMANCE ? lis2dw12[control >> 4]
           : mode                            ? 0 // samples on request
                                             : low_power[control >> 4];
}

// LIS3DH: half of the rate in normal mode, a ninth in high resolution (AN3308 3.1). LIS2DW12: half
// of the rate, at most 400 Hz (DS11811 table 44), and a smaller fraction for other BW_FILT.
// LSM6DSO: half of the rate.
double accelerometer_model_bandwidth_hz(const struct accelerometer_model *model) {
    double rate_hz = accelerometer_model_rate_hz(model);
    if (is_lis3dh(model)) {
        return rate_hz / (model->registers[LIS3DH_CTRL4] & LIS3DH_HR ? 9.0 : 2.0);
    }
    if (is_lsm6(model)) {
        return rate_hz / 2.0;
    }
    static const double fractions[] = {2, 4, 10, 20};
    uint8_t filter = model->registers[LIS2DW12_CTRL6] >> 6;
    double bandwidth_hz = rate_hz / fractions[filter];
    return filter == 0 && bandwidth_hz > 400.0 ? 400.0 : bandwidth_hz;
}

double accelerometer_model_step_g(const struct accelerometer_model *model) {
    if (is_lis3dh(model)) { // the steps in mg are for 10 bits; each is 64 steps of the 16-bit value
        static const double steps_mg[] = {4, 8, 16, 48};
        return steps_mg[model->registers[LIS3DH_CTRL4] >> 4 & 3] / 64e3;
    }
    if (is_lsm6(model)) {
        static const double steps_mg[] = {0.061, 0.488, 0.122, 0.244};
        return steps_mg[model->registers[LSM6_CTRL1_XL] >> 2 & 3] / 1e3;
    }
    static const double steps_mg[] = {0.244, 0.488, 0.976, 1.952}; // of 14 bits
    return steps_mg[model->registers[LIS2DW12_CTRL6] >> 4 & 3] / 4e3;
}

// The FIFO of the LIS3DH stores 10 bits even in high resolution. The first low-power mode of the
// LIS2DW12 has 12 bits.
unsigned accelerometer_chip_bits(const struct accelerometer_model *model) {
    uint8_t control = model->registers[LIS_CTRL1];
    bool is_low = !(control & (LIS2DW12_MODE | LIS2DW12_LPMODE));
    return is_lis3dh(model) ? 10 : is_lsm6(model) ? 16 : is_low ? 12 : 14;
}

// ---- The FIFO ----

unsigned accelerometer_chip_fifo_depth(const struct accelerometer_model *model) {
    return is_lsm6(model) ? LSM6_DEPTH : LIS_DEPTH;
}

static enum accelerometer_fifo_mode mode_of(uint8_t bits, uint8_t stream) {
    return bits == stream ? ACCELEROMETER_FIFO_STREAM
           : bits == 1    ? ACCELEROMETER_FIFO_STOPS
                          : ACCELEROMETER_FIFO_BYPASS;
}

enum accelerometer_fifo_mode accelerometer_chip_fifo_mode(const struct accelerometer_model *model) {
    if (is_lsm6(model)) {
        bool is_batched = model->registers[LSM6_FIFO_CTRL3] & 0x0F;
        return is_batched ? mode_of(model->registers[LSM6_FIFO_CTRL4] & 7, 6)
                          : ACCELEROMETER_FIFO_BYPASS;
    }
    uint8_t control = model->registers[LIS_FIFO_CTRL];
    if (is_lis3dh(model)) {
        bool is_enabled = model->registers[LIS3DH_CTRL5] & LIS3DH_FIFO_EN;
        return is_enabled ? mode_of(control >> 6, 2) : ACCELEROMETER_FIFO_BYPASS;
    }
    return mode_of(control >> 5, 6);
}

static uint8_t lis3dh_fifo_status(const struct accelerometer_model *model) {
    unsigned count = model->count < LIS_DEPTH ? model->count : LIS_DEPTH - 1;
    bool has_watermark = model->count >= (model->registers[LIS_FIFO_CTRL] & 0x1Fu);
    return (uint8_t)((has_watermark ? LIS3DH_WTM : 0) | (model->has_overrun ? LIS_OVERRUN : 0) |
                     (model->count ? 0 : LIS3DH_EMPTY) | count);
}

// The tag has a parity bit, which makes the number of ones in the tag even (DS12140 9.69).
static uint8_t lsm6_tag(const struct accelerometer_model *model) {
    if (!model->count) {
        return 0;
    }
    uint8_t tag = (uint8_t)(LSM6_TAG_ACCELEROMETER << 3 | (model->tag_count & 3) << 1);
    uint8_t parity = tag;
    parity ^= parity >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    return tag | (parity & 1);
}

static bool lsm6_status(const struct accelerometer_model *model, uint8_t address, uint8_t *value) {
    bool is_full = model->count == LSM6_DEPTH;
    switch (address) {
    case LSM6_STATUS:
        *value = model->has_output;
        return true;
    case LSM6_FIFO_STATUS1:
        *value = (uint8_t)model->count;
        return true;
    case LSM6_FIFO_STATUS2:
        *value = (uint8_t)((model->has_overrun ? LSM6_FIFO_OVERRUN | 0x08 : 0) |
                           (is_full ? LSM6_FIFO_FULL : 0) | (model->count >> 8 & 3));
        return true;
    case LSM6_FIFO_TAG:
        *value = lsm6_tag(model);
        return true;
    default:
        return false;
    }
}

bool accelerometer_chip_status(const struct accelerometer_model *model, uint8_t address,
                               uint8_t *value) {
    if (is_lsm6(model)) {
        return lsm6_status(model, address, value);
    }
    if (address == LIS_STATUS) {
        uint8_t ready = is_lis3dh(model) ? LIS3DH_DATA_READY : LIS_DATA_READY;
        *value = model->has_output ? ready : 0;
        return true;
    }
    if (address != LIS_FIFO_STATUS) {
        return false;
    }
    *value = is_lis3dh(model) ? lis3dh_fifo_status(model)
                              : (uint8_t)((model->has_overrun ? LIS_OVERRUN : 0) | model->count);
    return true;
}

// ---- Reading ----

uint8_t accelerometer_chip_sample_register(const struct accelerometer_model *model) {
    bool has_own =
        is_lsm6(model) && accelerometer_chip_fifo_mode(model) != ACCELEROMETER_FIFO_BYPASS;
    return has_own ? LSM6_FIFO_OUT_X_L : LIS_OUT_X_L;
}

// With a FIFO, the register after the last byte of a sample is the first register of the next
// sample.
uint8_t accelerometer_chip_next_register(const struct accelerometer_model *model, uint8_t address) {
    bool has_fifo = accelerometer_chip_fifo_mode(model) != ACCELEROMETER_FIFO_BYPASS;
    if (is_lis3dh(model) && !model->increments) {
        return address;
    }
    if (is_lsm6(model)) {
        if (!(model->registers[LSM6_CTRL3_C] & LSM6_IF_INC)) {
            return address;
        }
        return address == LSM6_FIFO_OUT_Z_H ? LSM6_FIFO_TAG : (uint8_t)((address + 1) & 0x7F);
    }
    if (!is_lis3dh(model) && !(model->registers[LIS2DW12_CTRL2] & LIS2DW12_IF_ADD_INC)) {
        return address;
    }
    return has_fifo && address == LIS_OUT_Z_H ? LIS_OUT_X_L : (uint8_t)((address + 1) & 0x7F);
}
