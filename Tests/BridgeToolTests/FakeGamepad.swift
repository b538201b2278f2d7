// FakeGamepad: the kernel's side of the gamepad of `bridge serve --rumble`, and the game that uses
// the gamepad, for suites with the trait `.virtualTool`.

import POSIX
import SerialPorts
import TestSupport

@testable import bridge

/// A gamepad without a kernel, whose events arrive through a socket. Its methods perform the
/// actions of a game.
final class FakeGamepad: RumbleGamepad {
    private struct State {
        var uploads: [UInt32: [UInt8]] = [:]
        var erasures: [UInt32: Int] = [:]
        var answers: [UInt32: Bool] = [:]
        var request: UInt32 = 0
        var isOpen = true

        mutating func newRequest() -> UInt32 {
            request += 1
            return request
        }
    }

    let name: String
    let path = "/dev/input/event9"
    let descriptor: Int32
    private let kernel: Int32
    private let state = LockedValue(State())

    init(name: String) throws {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXFailure() }
        (self.name, descriptor, kernel) = (name, ends[0], ends[1])
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    struct POSIXFailure: Error {}

    deinit {
        remove()
        close(descriptor)
    }

    // MARK: The kernel

    func answer(upload request: UInt32, _ accept: ([UInt8]) -> Bool) {
        guard let effect = state.withLock({ $0.uploads[request] }) else { return }
        let isAccepted = accept(effect)
        state.withLock { $0.answers[request] = isAccepted }
    }

    func answer(erasure request: UInt32) -> Int? {
        state.withLock {
            $0.answers[request] = true
            return $0.erasures[request]
        }
    }

    /// Sends an event: `struct input_event`.
    func send(_ type: UInt16, _ code: UInt16, _ value: UInt32) {
        func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let event =
            [UInt8](repeating: 0, count: 16) + bytes(UInt32(type), 2) + bytes(UInt32(code), 2)
            + bytes(value, 4)
        _ = write(kernel, event, event.count)
    }

    /// Removes the device, as the kernel does when its descriptor is closed.
    func remove() {
        guard
            state.withLock({ state in
                defer { state.isOpen = false }
                return state.isOpen
            })
        else { return }
        close(kernel)
    }

    // MARK: The game

    /// Uploads an effect. Uploads an effect. Returns true if the effect was accepted.
    ///
    /// - Parameter effect: the type, the number, the length and the delay in milliseconds, and the
    ///   fields of the type, as 16-bit numbers.
    func upload(_ type: UInt16, _ id: Int, length: UInt16, delay: UInt16 = 0, _ fields: Int...)
        -> Bool
    {
        let words =
            [type, UInt16(id), 0, 0, 0, length, delay, 0]
            + fields.map { UInt16(truncatingIfNeeded: $0) }
        let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let request = state.withLock { state in
            let request = state.newRequest()
            state.uploads[request] = bytes + [UInt8](repeating: 0, count: 48 - bytes.count)
            return request
        }
        send(0x0101, 1, request)
        return awaitAnswer(request)
    }

    func erase(_ id: Int) {
        let request = state.withLock { state in
            let request = state.newRequest()
            state.erasures[request] = id
            return request
        }
        send(0x0101, 2, request)
        _ = awaitAnswer(request)
    }

    func play(_ id: Int, _ count: UInt32 = 1) { send(0x15, UInt16(id), count) }

    func setGain(_ gain: UInt32) { send(0x15, 0x60, gain) }

    /// Acts as the kernel does when a game that has uploaded effects ends.
    func killGame(_ ids: Int...) {
        for id in ids {
            play(id, 0)
            erase(id)
        }
    }

    private func awaitAnswer(_ request: UInt32) -> Bool {
        _ = wait(seconds: 1) { state.withLock { $0.answers[request] != nil } }
        return state.withLock { $0.answers[request] } ?? false
    }
}
