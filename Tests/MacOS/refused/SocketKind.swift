// has no member 'rawValue'
import Darwin

func refused() -> Int32 { Int32(SOCK_STREAM.rawValue) }
