/* libsndfile, which reads the formats of sound files. */
#ifndef SOUND_FILE_H
#define SOUND_FILE_H

#include <sndfile.h>

#endif
