// C functions with opaque handles, as in bridges to other languages.

import HapticBridge

private final class EngineBox {
    let engine: CHHapticEngine
    init(_ engine: CHHapticEngine) { self.engine = engine }
}

private final class PlayerBox {
    let player: CHHapticPatternPlayer
    init(_ player: CHHapticPatternPlayer) { self.player = player }
}

private func status(_ body: () throws -> Void) -> Int32 {
    do {
        try body()
        return 0
    } catch let error as CHHapticError {
        return Int32(error.code.rawValue)
    } catch {
        return -1
    }
}

@_cdecl("haptic_supported")
func hapticSupported() -> Bool {
    CHHapticEngine.capabilitiesForHardware().supportsHaptics
}

@_cdecl("haptic_engine_create")
func hapticEngineCreate(_ handle: UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Int32 {
    status {
        let engine = try CHHapticEngine()
        engine.isAutoShutdownEnabled = false
        engine.playsHapticsOnly = true
        try engine.start()
        handle.pointee = Unmanaged.passRetained(EngineBox(engine)).toOpaque()
    }
}

@_cdecl("haptic_play_ahap")
func hapticPlay(
    _ handle: UnsafeMutableRawPointer, _ text: UnsafePointer<CChar>
) -> Int32 {
    status {
        let box = Unmanaged<EngineBox>.fromOpaque(handle).takeUnretainedValue()
        guard let data = String(cString: text).data(using: .utf8) else { return }
        try box.engine.playPattern(from: data)
    }
}

@_cdecl("haptic_player_create")
func hapticPlayerCreate(
    _ handle: UnsafeMutableRawPointer, _ type: Int32, _ intensity: Float,
    _ player: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Int32 {
    status {
        let box = Unmanaged<EngineBox>.fromOpaque(handle).takeUnretainedValue()
        let type: CHHapticEvent.EventType = type == 0 ? .hapticTransient : .hapticContinuous
        let event = CHHapticEvent(
            eventType: type,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
            relativeTime: 0, duration: 0.1)
        let pattern = try CHHapticPattern(events: [event], parameters: [])
        let made = PlayerBox(try box.engine.makePlayer(with: pattern))
        player.pointee = Unmanaged.passRetained(made).toOpaque()
    }
}

@_cdecl("haptic_player_start")
func hapticPlayerStart(_ player: UnsafeMutableRawPointer, _ time: Double) -> Int32 {
    status {
        let box = Unmanaged<PlayerBox>.fromOpaque(player).takeUnretainedValue()
        try box.player.start(atTime: time)
    }
}

@_cdecl("haptic_release")
func hapticRelease(_ handle: UnsafeMutableRawPointer) {
    Unmanaged<AnyObject>.fromOpaque(handle).release()
}

func cFunctions() throws {
    var engine: UnsafeMutableRawPointer?
    var player: UnsafeMutableRawPointer?
    guard hapticSupported(), hapticEngineCreate(&engine) == 0, let engine else { return }
    guard hapticPlay(engine, ahap(intensity: 0.8)) == 0 else { return }
    guard hapticPlay(engine, "{}") == -4814 else { return }
    rest(0.3)
    guard hapticPlayerCreate(engine, 0, 1, &player) == 0, let player else { return }
    guard hapticPlayerStart(player, 0) == 0 else { return }
    rest(0.2)
    hapticRelease(player)
    hapticRelease(engine)
}
