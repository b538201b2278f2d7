// Hexadecimal: the conversion of bytes to and from hexadecimal digits.

extension [UInt8] {
    /// The bytes as two hexadecimal digits each, without spaces.
    package var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// Converts pairs of hexadecimal digits to bytes; nil if the text contains any other
    /// characters.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        let values = digits.map { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46: digit - 0x37
            case 0x61...0x66: digit - 0x57
            default: nil
            }
        }
        guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map {
            values[$0]! << 4 | values[$0 + 1]!
        }
    }
}
