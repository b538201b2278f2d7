// HexImage: parses and validates an Intel HEX file before flashing.

/// The contents of flash memory, starting at address 0.
struct HexImage {
    /// The bytes from address 0; gaps between records are 0xFF, the value of erased flash.
    private(set) var bytes: [UInt8] = []

    /// A defect in a HEX file: the line and the reason.
    struct Fault: Error, Equatable {
        var line: Int
        var reason: String
    }

    /// - Parameter capacity: the size of the flash memory available for the program, in bytes.
    init(_ text: [UInt8], capacity: Int) throws(Fault) {
        var base = 0
        var isComplete = false
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let digits = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if digits.isEmpty { continue }
            func check(_ isRight: Bool, _ reason: String) throws(Fault) {
                if !isRight { throw Fault(line: number, reason: reason) }
            }
            try check(!isComplete, "a record after the end-of-file record")
            guard let record = Self.record(digits) else {
                throw Fault(line: number, reason: "not an Intel HEX record")
            }
            try check(record.reduce(0, &+) == 0, "wrong checksum: the file is damaged")
            let data = record[4..<record.count - 1]
            switch record[3] {
            case 0:
                let address = base + Int(record[1]) << 8 + Int(record[2])
                try check(
                    address + data.count <= capacity,
                    "data beyond the \(capacity) bytes of flash memory that the board has for programs"
                )
                store(data, at: address)
            case 1: isComplete = true
            case 2, 4:
                try check(data.count == 2, "an address record must have 2 bytes of data")
                base = data.reduce(0) { $0 << 8 + Int($1) } << (record[3] == 2 ? 4 : 16)
            case 3, 5: break  // start addresses, which resets ignore
            default: try check(false, "unknown record type")
            }
        }
        guard isComplete else {
            throw Fault(
                line: number, reason: "the end-of-file record is missing: the file is truncated")
        }
        guard !bytes.isEmpty else { throw Fault(line: number, reason: "no data") }
    }

    private mutating func store(_ data: ArraySlice<UInt8>, at address: Int) {
        let missing = address + data.count - bytes.count
        if missing > 0 { bytes += [UInt8](repeating: 0xFF, count: missing) }
        bytes.replaceSubrange(address..<address + data.count, with: data)
    }

    /// Returns the bytes of a record, from length to checksum; nil if the line is not a record.
    private static func record(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard line.first == UInt8(ascii: ":"), line.count % 2 == 1, line.count >= 11 else {
            return nil
        }
        let digits = line.dropFirst().map { Character(UnicodeScalar($0)).hexDigitValue }
        guard !digits.contains(nil) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { (index: Int) -> UInt8 in
            UInt8(digits[index]! << 4 | digits[index + 1]!)
        }
        return Int(bytes[0]) == bytes.count - 5 ? bytes : nil
    }
}
