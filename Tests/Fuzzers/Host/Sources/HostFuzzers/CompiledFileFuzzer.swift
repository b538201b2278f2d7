// Fuzzes compiled files and the event code in them (SPEC 7), which other hosts may have written.

import HapticCompiler

@_cdecl("fuzz_host_compiled")
public func fuzzCompiled(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Input(bytes, count).bytes
    do throws(CompiledFileError) {
        let file = try CompiledFile(decoding: bytes)
        promise(file.encoded == bytes, "the file changed")
    } catch {
        promise(!error.description.isEmpty, "the error has no message")
    }
    read(bytes)
    // The CRC is made valid, because few inputs have a valid CRC by chance.
    let made = CompiledFile(bytes: bytes)
    promise((try? CompiledFile(decoding: made.encoded)) == made, "the file changed")
    return 0
}

private func read(_ code: [UInt8]) {
    do throws(EventStreamError) {
        let events = try EventStreamDecoder.decode(code, requiringEnd: false, limit: 5_000)
        let again = try EventStreamDecoder.decode(
            EventStreamEncoder.encode(events), requiringEnd: false)
        promise(again == events, "the events changed")
        _ = EventListing(events).description
    } catch {
        promise(!error.description.isEmpty, "the error has no message")
    }
}
