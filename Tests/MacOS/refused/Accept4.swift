// accept4
import Darwin

func refused() { _ = accept4(0, nil, nil, 0) }
