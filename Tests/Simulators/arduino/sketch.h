// The sketch: a shared library with the sketch, its libraries and an Arduino core, which runs
// beside the simulation and stops where the board's time must not go on yet.
#ifndef SKETCH_H
#define SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define SKETCH_KEPT_MAX 1024u

struct sketch {
    const char *path;
    void *library; // NULL: not loaded
    void (*setup)(void);
    void (*loop)(void);
    uint8_t *kept; // memory that only a loss of power clears
    size_t kept_size;
    uint8_t kept_copy[SKETCH_KEPT_MAX];
    uint32_t loop_us; // what the rest of loop() takes
    bool hangs;       // loop() never ends
    bool runs;        // its context is the present one
    ucontext_t context;
    ucontext_t outside;
};

// Loads it anew, as a reset does: all its memory is as at first but for what is kept. Returns
// false, and says why on standard error, if that is not possible.
bool sketch_start(struct sketch *sketch);

// Runs it until it calls sketch_pause.
void sketch_resume(struct sketch *sketch);

// Goes back to who has called sketch_resume. Called by the sketch.
void sketch_pause(struct sketch *sketch);

// Keeps what a reset leaves alone.
void sketch_keep(struct sketch *sketch);

#endif
