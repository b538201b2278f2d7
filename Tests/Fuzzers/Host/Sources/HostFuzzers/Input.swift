// What a fuzzer is given: bytes, taken one after the other.

struct Input {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
        rest = ArraySlice(UnsafeBufferPointer(start: bytes, count: count))
    }

    var isEmpty: Bool { rest.isEmpty }
    var bytes: [UInt8] { Array(rest) }

    /// The next byte, 0 behind the last.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// At most so many of the next bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// A promise that no input may break.
func promise(_ condition: Bool, _ what: @autoclosure () -> String) {
    guard condition else { fatalError("broken: \(what())") }
}
