// Haptic devices whose actuators are voice coils on a sound device.

import Foundation
import HapticBoards

extension HapticDevice {
    /// Returns a device for voice coils on a sound device. No board is needed.
    ///
    /// Engines play as on a board. ``HapticLocality/leftHandle`` and
    /// ``HapticLocality/rightHandle`` are the first and the second channel. All engines of the same
    /// `HapticDevice` share the sound device, and their patterns are mixed; another `HapticDevice`
    /// opens the sound device again. Call `HapticSound.install()` from the library
    /// `HapticBridgeSound` before you start an engine; otherwise, the start fails with
    /// `notSupported`. The start also fails with `notSupported` if the sound device cannot be
    /// opened, and an engine whose sound device is lost stops with
    /// ``HapticEngine/StoppedReason/systemError``.
    public static func voiceCoils(_ coils: VoiceCoils) -> HapticDevice {
        let identity = BoardIdentity.own(UUID())
        var device = HapticDevice(
            name: coils.output, identity: { identity }, servedPort: nil,
            connect: { _ in throw HapticError(.notSupported, "voice coils have no board") })
        device.coils = VoiceCoilOutput(coils)
        return device
    }
}
