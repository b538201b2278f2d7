// Fuzzes the messages of editors, and checks that each error has a message, and that nothing plays
// without permission.

import ProgramProtocols

/// Fuzzes messages of Meta Haptics Studio, one per line. A line that begins with a 0 byte is a
/// binary message.
@_cdecl("fuzz_host_studio")
public func fuzzStudio(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let messages = Input(bytes, count).bytes.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    _ = StudioAnnouncement(Array(messages[0]))
    var session = StudioSession(at: 0)
    var isGranted = false
    do throws(EditorLinkError) {
        for (index, message) in messages.enumerated() {
            let now = Int64(index)
            guard message.first != 0 else {
                try session.receiveBinary(at: now)
                continue
            }
            for output in try session.receive(String(decoding: message, as: UTF8.self), at: now) {
                switch output {
                case .granted: isGranted = true
                case .play, .present, .playTest, .stop:
                    promise(isGranted, "a device plays without permission")
                case .ask: promise(!session.answer("1234").isEmpty, "an answer is not sent")
                case .send, .end: break
                }
            }
            promise(session.deadline <= now + 30_000_000, "the deadline is too late")
        }
    } catch {
        promise(!error.message.isEmpty, "the error has no message")
    }
    return 0
}

/// Fuzzes the bytes that a Haptrix connection receives, in parts. The input gives the length of
/// each part in a byte before the part.
@_cdecl("fuzz_host_haptrix")
public func fuzzHaptrix(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(bytes, count)
    var decoder = HaptrixDecoder()
    do throws(EditorLinkError) {
        while !input.isEmpty {
            decoder.append(input.take(Int(input.byte())))
            while let message = try decoder.next() {
                if case .zip(let zip) = message { unpack(zip) }
            }
        }
    } catch {
        promise(!error.message.isEmpty, "the error has no message")
    }
    return 0
}

/// Fuzzes a ZIP archive.
@_cdecl("fuzz_host_zip")
public func fuzzZIP(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unpack(Input(bytes, count).bytes)
    return 0
}

private func unpack(_ bytes: [UInt8]) {
    let limit = 4096
    do throws(EditorLinkError) {
        let package = try HaptrixPackage(zip: bytes, limit: limit)
        promise(package.ahap.count <= limit, "the unpacked size exceeds the limit")
        promise(package.name.utf8.count <= 64 + 192, "the name is too long")
    } catch {
        promise(!error.message.isEmpty, "the error has no message")
    }
}
