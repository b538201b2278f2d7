// The input of a fuzzer. The fuzzer consumes the bytes of the input one by one.

struct Input {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
        rest = ArraySlice(UnsafeBufferPointer(start: bytes, count: count))
    }

    var isEmpty: Bool { rest.isEmpty }
    var bytes: [UInt8] { Array(rest) }

    /// Returns the next byte, or 0 if all bytes have been consumed.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns the next `count` bytes, or fewer at the end of the input.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// Ends the program if the condition is false. The condition must be true for every input.
func promise(_ condition: Bool, _ what: @autoclosure () -> String) {
    guard condition else { fatalError("broken: \(what())") }
}
