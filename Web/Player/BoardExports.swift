// BoardExports: the functions that connect the page to a board and play on it. Times are in
// microseconds of the page's clock.

import BridgeLink
import HapticBoards
import HapticCompiler
import JSONText

/// The session with the board; nil if no port is open.
nonisolated(unsafe) var board: BoardSession?

func time(_ microseconds: Double) -> HostTime { HostTime(microseconds: Int64(microseconds)) }

/// Begins a session with the board at the other end of the line.
///
/// - Parameter id: a random number.
@_expose(wasm, "openSession") @_cdecl("web_open_session")
public func openSession(_ id: UInt32, _ gain: Int32, _ now: Double) {
    board = BoardSession(id: max(1, id), gain: UInt8(clamping: gain), at: time(now))
}

/// Ends the session. A board that is playing comes to rest on its own.
@_expose(wasm, "closeSession") @_cdecl("web_close_session")
public func closeSession() { board = nil }

/// Passes bytes that have arrived from the board to the session.
@_expose(wasm, "receive") @_cdecl("web_receive")
public func receive(_ bytes: UnsafePointer<UInt8>, _ count: Int32, _ now: Double) {
    board?.receive(taken(bytes, count), at: time(now))
}

/// Provides the bytes to write to the line now. `unsent` is the number of bytes that are already
/// waiting on the line.
@_expose(wasm, "nextOutput") @_cdecl("web_next_output")
public func nextOutput(_ unsent: Int32, _ now: Double) -> Int32 {
    (board?.nextOutput(unsent: Int(unsent), at: time(now)) ?? []).give()
}

/// Returns the time at which `nextOutput` must be called, even if no bytes arrive before then.
@_expose(wasm, "deadline") @_cdecl("web_deadline")
public func deadline() -> Double {
    let deadline = board?.deadline ?? .never
    return deadline == .never ? .infinity : Double(deadline.microseconds)
}

/// True if frames are waiting until there is room on the line.
@_expose(wasm, "isOutputWaiting") @_cdecl("web_is_output_waiting")
public func isOutputWaiting() -> Bool { board?.session.isOutputWaiting ?? false }

/// Provides a list of the reports since the last call.
@_expose(wasm, "reports") @_cdecl("web_reports")
public func reports() -> Int32 {
    let reports = board?.takeReports() ?? []
    return reports.isEmpty ? 0 : JSONValue.list(reports).give()
}

/// Plays the open pattern. Reports follow.
@_expose(wasm, "play") @_cdecl("web_play")
public func play(_ isLoop: Bool, _ now: Double) {
    guard let board else { return }
    guard let opened else { return board.fail("no pattern is open", []) }
    let stream = opened.stream(for: board.profile ?? .lra, isRepeated: isLoop)
    board.play(stream, isLoop: isLoop, at: time(now))
}

/// Brings all actuators to rest immediately.
@_expose(wasm, "stop") @_cdecl("web_stop")
public func stop(_ now: Double) { board?.stop(at: time(now)) }

/// Sets the gain of all actuators, 0...255.
@_expose(wasm, "setGain") @_cdecl("web_set_gain")
public func setGain(_ gain: Int32) { board?.setGain(UInt8(clamping: gain)) }

/// Provides the list of known actuators.
@_expose(wasm, "knownActuators") @_cdecl("web_known_actuators")
public func knownActuators() -> Int32 {
    JSONValue.list(
        NamedActuator.all.map {
            .members(("name", .text($0.name)), ("description", .text($0.description)))
        }
    ).give()
}

/// Configures an actuator of the board as the known actuator with an index.
@_expose(wasm, "configure") @_cdecl("web_configure")
public func configure(_ actuator: Int32, _ known: Int32) {
    guard NamedActuator.all.indices.contains(Int(known)) else {
        board?.fail("the list of known actuators has no number \(known)", [])
        return
    }
    board?.configure(UInt8(clamping: actuator), as: NamedActuator.all[Int(known)])
}

/// Calibrates an actuator of the board. Reports follow.
@_expose(wasm, "calibrate") @_cdecl("web_calibrate")
public func calibrate(_ actuator: Int32) { board?.calibrate(UInt8(clamping: actuator)) }
