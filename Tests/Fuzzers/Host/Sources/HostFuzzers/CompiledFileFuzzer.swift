// Compiled files and their event code (SPEC 7), which may have been written by other hosts.

import HapticCompiler

@_cdecl("fuzz_host_compiled")
public func fuzzCompiled(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Input(bytes, count).bytes
    do throws(CompiledFileError) {
        let file = try CompiledFile(decoding: bytes)
        promise(file.encoded == bytes, "the file changed")
    } catch {
        promise(!error.description.isEmpty, "nothing to say")
    }
    read(bytes)
    // Random input rarely contains a valid CRC.
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
        promise(!error.description.isEmpty, "nothing to say")
    }
}
