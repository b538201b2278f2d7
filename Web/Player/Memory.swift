// Memory: the bytes that pass between the page and the module. The page allocates memory for its
// arguments; a function that returns bytes stores them here and returns their number.

/// The bytes that the last function returned. These bytes are valid until the next call.
nonisolated(unsafe) private var output: [UInt8] = []

extension [UInt8] {
    /// Stores the bytes for the page, and returns their number.
    func give() -> Int32 {
        output = self
        return Int32(count)
    }
}

/// Returns the bytes that the page has passed.
func taken(_ bytes: UnsafePointer<UInt8>, _ count: Int32) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
}

/// Returns the address of memory for the arguments of a function.
@_expose(wasm, "allocate") @_cdecl("web_allocate")
public func allocate(_ count: Int32) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer.allocate(byteCount: max(1, Int(count)), alignment: 16)
}

/// Returns memory that the page has allocated.
@_expose(wasm, "release") @_cdecl("web_release")
public func release(_ memory: UnsafeMutableRawPointer) { memory.deallocate() }

/// Returns the address of the bytes that the last function stored.
@_expose(wasm, "output") @_cdecl("web_output")
public func outputAddress() -> UnsafeMutablePointer<UInt8>? {
    output.withUnsafeMutableBufferPointer { $0.baseAddress }
}
