import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access';
import { COPY_SCRIPT, ICON, STYLES } from './assets';

const FOR_EVER = 'public, max-age=31536000, immutable';

/** What the pages load; they may run and show nothing else. */
@ApiExcludeController()
@Controller('pages')
@Public()
export class PageAssetsController {
  @Get('page.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', FOR_EVER)
  styles(): string {
    return STYLES.content;
  }

  @Get('copy.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', FOR_EVER)
  script(): string {
    return COPY_SCRIPT.content;
  }

  @Get('icon.svg')
  @Header('Content-Type', 'image/svg+xml; charset=utf-8')
  @Header('Cache-Control', FOR_EVER)
  icon(): string {
    return ICON.content;
  }
}
