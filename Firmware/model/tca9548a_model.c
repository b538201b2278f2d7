#include "tca9548a_model.h"

void tca9548a_model_power(struct tca9548a_model *model, bool on) {
    *model = (struct tca9548a_model){.powered = on};
}

bool tca9548a_model_start(struct tca9548a_model *model, uint8_t address_byte) {
    model->selected = model->powered && address_byte >> 1 == TCA9548A_MODEL_ADDRESS;
    model->reading = (address_byte & 1u) != 0;
    return model->selected;
}

bool tca9548a_model_write_byte(struct tca9548a_model *model, uint8_t byte) {
    bool takes = model->selected && !model->reading;
    if (takes) {
        model->written = byte ^ model->damage;
        model->damage = 0;
    }
    return takes;
}

void tca9548a_model_inject_damage(struct tca9548a_model *model, uint8_t bits) {
    model->damage = bits;
}

uint8_t tca9548a_model_read_byte(const struct tca9548a_model *model) {
    return model->selected && model->reading ? model->written : 0xFF;
}

void tca9548a_model_stop(struct tca9548a_model *model) {
    model->selected = false;
    model->open = model->written;
}
