// The input of a fuzzer: bytes that are consumed sequentially.

struct Input {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
        rest = ArraySlice(UnsafeBufferPointer(start: bytes, count: count))
    }

    var isEmpty: Bool { rest.isEmpty }
    var bytes: [UInt8] { Array(rest) }

    /// Removes and returns the next byte; 0 after the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Removes and returns at most `count` of the next bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// Fails unless a condition is true, which no input may violate.
func promise(_ condition: Bool, _ what: @autoclosure () -> String) {
    guard condition else { fatalError("broken: \(what())") }
}
