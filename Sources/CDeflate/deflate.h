/* zlib, which implements the compression of ZIP files. */
#ifndef DEFLATE_H
#define DEFLATE_H

#include <zlib.h>

#endif
