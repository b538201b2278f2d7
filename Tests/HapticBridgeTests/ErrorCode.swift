// What a call of Core Haptics' API was refused with.

import HapticBridge

/// The code of the error that `body` throws; nil if it throws none, or another kind.
func code(of body: () throws -> Void) -> CHHapticError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CHHapticError)?.code
    }
}
