// 'span' is only available in macOS 26.0 or newer
func refused(_ bytes: [UInt8]) { _ = bytes.span }
