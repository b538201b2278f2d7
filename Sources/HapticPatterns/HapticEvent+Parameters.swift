// HapticEvent+Parameters: access to the parameters of an event by their ids.

extension HapticEvent {
    /// The value of the parameter with the given id. On a haptic event, audio parameters are 0 and
    /// cannot be set.
    public subscript(id: EventParameterID) -> Double {
        get {
            switch id {
            case .hapticIntensity: intensity
            case .hapticSharpness: sharpness
            case .attackTime: envelope.attackTime
            case .decayTime: envelope.decayTime
            case .releaseTime: envelope.releaseTime
            case .sustained: envelope.sustained ? 1 : 0
            case .audioVolume: audio?.volume ?? 0
            case .audioPitch: audio?.pitch ?? 0
            case .audioPan: audio?.pan ?? 0
            case .audioBrightness: audio?.brightness ?? 0
            }
        }
        set {
            switch id {
            case .hapticIntensity: intensity = newValue
            case .hapticSharpness: sharpness = newValue
            case .attackTime: envelope.attackTime = newValue
            case .decayTime: envelope.decayTime = newValue
            case .releaseTime: envelope.releaseTime = newValue
            case .sustained: envelope.sustained = newValue != 0
            case .audioVolume: audio?.volume = newValue
            case .audioPitch: audio?.pitch = newValue
            case .audioPan: audio?.pan = newValue
            case .audioBrightness: audio?.brightness = newValue
            }
        }
    }
}
