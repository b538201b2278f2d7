// The command-line options of this kind of board only. There are none.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

struct board_options {
    char none;
};

#endif
