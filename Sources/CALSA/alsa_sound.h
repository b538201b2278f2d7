/* ALSA, the interface to sound devices on Linux. */
#ifndef ALSA_SOUND_H
#define ALSA_SOUND_H

#include <alsa/asoundlib.h>

static void alsa_say_nothing(const char *file, int line, const char *function, int error,
                             const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

/* Prevents ALSA from printing error messages; its functions also return the errors. */
static inline void alsa_silence(void) { snd_lib_error_set_handler(alsa_say_nothing); }

#endif
