// HexImage: an Intel hex file, checked before anything is flashed.

/// The contents of flash memory, from address 0 on.
struct HexImage {
    /// Erased bytes between records are 0xFF.
    private(set) var bytes: [UInt8] = []

    /// What is wrong with a file, and where.
    struct Fault: Error, Equatable {
        var line: Int
        var reason: String
    }

    /// - Parameter capacity: bytes that the flash memory has for it.
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
            try check(!isComplete, "a record after the last one")
            guard let record = Self.record(digits) else {
                throw Fault(line: number, reason: "not an Intel hex record")
            }
            try check(record.reduce(0, &+) == 0, "wrong checksum: the file is damaged")
            let data = record[4..<record.count - 1]
            switch record[3] {
            case 0:
                let address = base + Int(record[1]) << 8 + Int(record[2])
                try check(
                    address + data.count <= capacity,
                    "data beyond the \(capacity) bytes that the board has for it")
                store(data, at: address)
            case 1: isComplete = true
            case 2: base = data.reduce(0) { $0 << 8 + Int($1) } << 4
            case 4: base = data.reduce(0) { $0 << 8 + Int($1) } << 16
            case 3, 5: break  // where a program starts: resets decide that
            default: try check(false, "an unknown type of record")
            }
        }
        guard isComplete else {
            throw Fault(line: number, reason: "the last record is missing: the file was cut short")
        }
        guard !bytes.isEmpty else { throw Fault(line: number, reason: "no data") }
    }

    private mutating func store(_ data: ArraySlice<UInt8>, at address: Int) {
        let missing = address + data.count - bytes.count
        if missing > 0 { bytes += [UInt8](repeating: 0xFF, count: missing) }
        bytes.replaceSubrange(address..<address + data.count, with: data)
    }

    /// The bytes of a record, length to checksum; nil if it is none.
    private static func record(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard line.first == UInt8(ascii: ":"), line.count % 2 == 1, line.count >= 11 else {
            return nil
        }
        let digits = line.dropFirst().map { Character(UnicodeScalar($0)).hexDigitValue }
        guard !digits.contains(nil) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0]! << 4 | digits[$0 + 1]!)
        }
        return Int(bytes[0]) == bytes.count - 5 ? bytes : nil
    }
}
