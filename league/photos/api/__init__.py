"""Photos in the API: uploads, pictures, proposed and settled counts."""
