// The nominal length and level of the ROM effects.
//
// The names are from the datasheet. The numbers are invented, except the percentages in the names,
// the durations of effects 15 and 16 (750 ms and 1000 ms), and the unlimited duration of effect 118
// ("programmatic stopping"). No source contains measured durations, and the waveforms themselves
// may not be extracted (notice in SLOS854D p63). Each row is a class of effects with similar names
// (SLOS854D p63-64). The duration is a rough guess for the class; the level is the percentage in
// the name, or, for a ramp, the mean of its first and last value.
#include "drv2605_model_internal.h"

#include <stddef.h>

struct effect_class {
    uint8_t last; // the last effect of the class; the first effect follows the last effect of the
                  // preceding row
    uint16_t duration_ms;  // 0: until canceled
    uint8_t percent[6];    // levels, which repeat within the class
    uint8_t percent_count; // number of levels
};

static const struct effect_class effect_classes[] = {
    {6, 50, {100, 60, 30}, 3},                         // Strong Click, Sharp Click
    {9, 60, {100, 60, 30}, 3},                         // Soft Bump
    {11, 150, {100, 60}, 2},                           // Double Click
    {12, 220, {100}, 1},                               // Triple Click
    {13, 200, {60}, 1},                                // Soft Fuzz
    {14, 300, {100}, 1},                               // Strong Buzz
    {15, 750, {100}, 1},                               // 750 ms Alert
    {16, 1000, {100}, 1},                              // 1000 ms Alert
    {20, 50, {100, 80, 60, 30}, 4},                    // Strong Click 1-4
    {23, 50, {100, 80, 60}, 3},                        // Medium Click 1-3
    {26, 20, {100, 80, 60}, 3},                        // Sharp Tick 1-3
    {30, 120, {100, 80, 60, 30}, 4},                   // Short Double Click Strong 1-4
    {33, 120, {100, 80, 60}, 3},                       // Short Double Click Medium 1-3
    {36, 80, {100, 80, 60}, 3},                        // Short Double Sharp Tick 1-3
    {40, 250, {100, 80, 60, 30}, 4},                   // Long Double Sharp Click Strong 1-4
    {43, 250, {100, 80, 60}, 3},                       // Long Double Sharp Click Medium 1-3
    {46, 200, {100, 80, 60}, 3},                       // Long Double Sharp Tick 1-3
    {51, 300, {100, 80, 60, 40, 20}, 5},               // Buzz 1-5
    {57, 300, {100, 60}, 2},                           // Pulsing Strong, Medium, Sharp
    {63, 50, {100, 80, 60, 40, 20, 10}, 6},            // Transition Click 1-6
    {69, 300, {100, 80, 60, 40, 20, 10}, 6},           // Transition Hum 1-6
    {71, 500, {50}, 1},                                // Transition Ramp Down Long Smooth, 100 to 0
    {73, 300, {50}, 1},                                // ... Medium Smooth
    {75, 150, {50}, 1},                                // ... Short Smooth
    {77, 500, {50}, 1},                                // ... Long Sharp
    {79, 300, {50}, 1},                                // ... Medium Sharp
    {81, 150, {50}, 1},                                // ... Short Sharp
    {83, 500, {50}, 1},                                // Transition Ramp Up Long Smooth, 0 to 100
    {85, 300, {50}, 1},                                // ... Medium Smooth
    {87, 150, {50}, 1},                                // ... Short Smooth
    {89, 500, {50}, 1},                                // ... Long Sharp
    {91, 300, {50}, 1},                                // ... Medium Sharp
    {93, 150, {50}, 1},                                // ... Short Sharp
    {95, 500, {25}, 1},                                // Transition Ramp Down Long Smooth, 50 to 0
    {97, 300, {25}, 1},                                // ... Medium Smooth
    {99, 150, {25}, 1},                                // ... Short Smooth
    {101, 500, {25}, 1},                               // ... Long Sharp
    {103, 300, {25}, 1},                               // ... Medium Sharp
    {105, 150, {25}, 1},                               // ... Short Sharp
    {107, 500, {25}, 1},                               // Transition Ramp Up Long Smooth, 0 to 50
    {109, 300, {25}, 1},                               // ... Medium Smooth
    {111, 150, {25}, 1},                               // ... Short Smooth
    {113, 500, {25}, 1},                               // ... Long Sharp
    {115, 300, {25}, 1},                               // ... Medium Sharp
    {117, 150, {25}, 1},                               // ... Short Sharp
    {118, 0, {100}, 1},                                // Long buzz for programmatic stopping
    {MODEL_LAST_EFFECT, 300, {50, 40, 30, 20, 10}, 5}, // Smooth Hum 1-5
};

// Returns the class of effect 1...123; `index` is the effect's index in the class, from 0.
static const struct effect_class *find_class(uint8_t effect, uint8_t *index) {
    size_t row = 0;
    uint8_t first = 1;
    while (effect > effect_classes[row].last) {
        first = (uint8_t)(effect_classes[row].last + 1);
        row++;
    }
    *index = (uint8_t)(effect - first);
    return &effect_classes[row];
}

uint64_t model_effect_duration_us(uint8_t effect) {
    uint8_t index;
    const struct effect_class *found = find_class(effect, &index);
    return found->duration_ms == 0 ? MODEL_NEVER : (uint64_t)found->duration_ms * 1000u;
}

int16_t model_effect_drive(uint8_t effect) {
    uint8_t index;
    const struct effect_class *found = find_class(effect, &index);
    return (int16_t)(found->percent[index % found->percent_count] * 255 / 100);
}
