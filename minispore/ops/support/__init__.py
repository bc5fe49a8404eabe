"""What all families lean on: checks of static arguments, spellings, the transport between ranks."""
