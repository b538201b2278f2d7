// virtual-board
